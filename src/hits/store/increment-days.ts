/**
 * The fast write path of redirects with at most one country, visitor and source in the batch: the database adds the
 * counts to the stored days itself. Reading, merging and writing back (merge-days.ts) costs twice as much.
 */
import type { Tx } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { countryOfNumber } from '../counters/counters.ts';
import type { RedirectCounters } from '../counters/redirect-counters.ts';
import { HASH_BYTES, HASHES, MAX_EXACT_OF_REDIRECT } from '../counters/visitor-sketch.ts';
import type { RedirectRow } from '../counters/write-batches.ts';
import { isInMonthOf } from './monthly-partitions.ts';
import { int4Array, int8Array, int8ArrayOfWords, textArray } from './pg-arrays.ts';

/**
 * The first byte of a visitor list, and the length from which a further visitor needs an estimate (hits/counters/visitor-sketch.ts).
 */
const LIST = sql.raw(`'\\x0${HASHES}'::bytea`);
const FULL_LIST = sql.raw(String(1 + MAX_EXACT_OF_REDIRECT * HASH_BYTES));

/** Rows with counts that are still to be merged. */
interface Unmerged {
  /** visitors: the stored list is full or an estimate */
  visitors: RedirectRow[];
  /** sources: a name is new, and the stored names are full */
  sources: RedirectRow[];
}

/**
 * Adds the counts of redirects with at most one country, visitor and source. Returns what is still to be merged. Requires
 * `lockHitCounters` in the same transaction.
 */
export async function incrementDays(tx: Tx, day: string, rows: RedirectRow[]): Promise<Unmerged> {
  if (rows.length === 0) return { visitors: [], sources: [] };
  const { found, ordinals, unmerged, unnamed } = await update(tx, day, rows);
  if (found < rows.length) {
    const existing = new Set(parseArray(ordinals));
    await insert(
      tx,
      day,
      rows.filter((_, i) => !existing.has(i + 1)),
    );
  }
  const rowsAt = (list: string | null): RedirectRow[] => parseArray(list).flatMap((ordinal) => rows[ordinal - 1] ?? []);
  return { visitors: rowsAt(unmerged), sources: rowsAt(unnamed) };
}

interface Updated {
  /** number of existing rows */
  found: number;
  /** their ordinals if some rows do not exist; a PostgreSQL array as text, which is the fastest to parse */
  ordinals: string | null;
  /** ordinals of the rows whose visitor is still to be merged, and of those whose sources are */
  unmerged: string | null;
  unnamed: string | null;
}

/**
 * Below this size a day has fewer than MAX_NAMES_OF_REDIRECT names of any length. Counting them would take a subquery per
 * row, which made a write about a third slower.
 */
const ROOM_BYTES = sql.raw('700');

/** Condition: the column has the name of the row `b`, or room for it. */
function hasRoom(column: 'referrers' | 'utm_sources', name: SQL, hits: SQL): SQL {
  const names = sql.raw(`h.${column}`);
  return sql`(${hits} = 0 or ${names} ? ${name} or pg_column_size(${names}) < ${ROOM_BYTES})`;
}
const [REFERRER, REFERRER_HITS, UTM, UTM_HITS] = ['referrer', 'referrer_hits', 'utm_source', 'utm_hits'].map((name) =>
  sql.raw(`b.${name}`),
) as [SQL, SQL, SQL, SQL];
/** Both or none are added. After the update the same condition says whether they were. */
const FITS = sql`(${REFERRER_HITS} + ${UTM_HITS} = 0 or
  ${hasRoom('referrers', REFERRER, REFERRER_HITS)} and ${hasRoom('utm_sources', UTM, UTM_HITS)})`;

/** The value of a column of names with the hits of the row `b` added. */
function withName(column: 'referrers' | 'utm_sources', name: SQL, hits: SQL): SQL {
  const names = sql.raw(`h.${column}`);
  return sql`case when ${hits} = 0 or not ${FITS} then ${names}
    else ${names} || jsonb_build_object(${name}, coalesce((${names} ->> ${name})::bigint, 0) + ${hits}) end`;
}

/**
 * The day is a column of the added rows, and not a constant. Of a day without statistics the planner expects no rows:
 * with a constant it would start from the stored rows and compare each with each.
 *
 * `position` finds a hash at any byte. A match that does not start at a hash boundary has a probability of about 1 in
 * 10^17.
 */
async function update(tx: Tx, day: string, added: RedirectRow[]): Promise<Updated> {
  const { rows } = await tx.execute<Updated & Record<string, unknown>>(sql`
    with b as materialized (
      select *, ${day}::date as day, int8send(visitor) as hash from ${unnested(added)} order by website_id, redirect_id),
    updated as (
      update redirect_hits h set hits = h.hits + b.hits, bot_hits = h.bot_hits + b.bot_hits,
        assistant_hits = h.assistant_hits + b.assistant_hits, micros = h.micros + b.micros,
        countries = case when b.country = '' then h.countries
          else h.countries || jsonb_build_object(b.country, coalesce((h.countries ->> b.country)::bigint, 0) + b.country_hits) end,
        visitors = case when b.visitor = 0 then h.visitors
          when h.visitors = '' then ${LIST} || b.hash
          when get_byte(h.visitors, 0) = ${HASHES} and octet_length(h.visitors) < ${FULL_LIST}
            and position(b.hash in h.visitors) = 0 then h.visitors || b.hash
          else h.visitors end,
        referrers = ${withName('referrers', REFERRER, REFERRER_HITS)},
        utm_sources = ${withName('utm_sources', UTM, UTM_HITS)}
      from b where h.website_id = b.website_id and h.redirect_id = b.redirect_id and h.environment = b.environment
        and h.day = b.day and ${isInMonthOf(day)}
      returning b.ordinal, case when b.visitor = 0 then false
        when get_byte(h.visitors, 0) <> ${HASHES} then true
        else octet_length(h.visitors) >= ${FULL_LIST} and position(b.hash in h.visitors) = 0 end as is_unmerged,
        not ${FITS} as is_unnamed)
    select count(*)::int as found, case when count(*) < ${added.length} then array_agg(ordinal)::text end as ordinals,
      (array_agg(ordinal) filter (where is_unmerged))::text as unmerged,
      (array_agg(ordinal) filter (where is_unnamed))::text as unnamed from updated`);
  return rows[0] ?? { found: 0, ordinals: null, unmerged: null, unnamed: null };
}

async function insert(tx: Tx, day: string, rows: RedirectRow[]): Promise<void> {
  await tx.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources)
    select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, assistant_hits, micros,
      case when country = '' then '{}'::jsonb else jsonb_build_object(country, country_hits) end,
      case when visitor = 0 then ''::bytea else ${LIST} || int8send(visitor) end,
      case when referrer_hits = 0 then '{}'::jsonb else jsonb_build_object(referrer, referrer_hits) end,
      case when utm_hits = 0 then '{}'::jsonb else jsonb_build_object(utm_source, utm_hits) end
    from ${unnested(rows)} order by website_id, redirect_id`);
}

/** Rows by column. */
function unnested(rows: RedirectRow[]): SQL {
  const each = <T>(read: (redirect: RedirectCounters) => T): T[] => rows.map(({ redirect }) => read(redirect));
  const ids = int4Array(rows.map(({ site }) => site.websiteId));
  const environments = textArray(rows.map(({ site }) => site.environment));
  const referrers = each((redirect) => redirect.singleSource('referrer'));
  const utmSources = each((redirect) => redirect.singleSource('utmSource'));
  const [nameOf, hitsOf] = [([name]: [string, number]) => name, ([, hits]: [string, number]) => hits];
  return sql`unnest(${ids}::int[], ${int8Array(each(({ redirectId }) => redirectId))}::bigint[], ${environments}::text[],
    ${int8Array(each(({ hits }) => hits))}::bigint[], ${int8Array(each(({ botHits }) => botHits))}::bigint[],
    ${int8Array(each(({ assistantHits }) => assistantHits))}::bigint[],
    ${int8Array(each(({ micros }) => Math.round(micros)))}::bigint[],
    ${textArray(each(({ country }) => countryOfNumber(country)))}::text[],
    ${int8Array(each(({ countryHits }) => countryHits))}::bigint[],
    ${int8ArrayOfWords(rows.flatMap(({ redirect: { high, low } }) => [high, low]))}::bigint[],
    ${textArray(referrers.map(nameOf))}::text[], ${int8Array(referrers.map(hitsOf))}::bigint[],
    ${textArray(utmSources.map(nameOf))}::text[], ${int8Array(utmSources.map(hitsOf))}::bigint[]) with ordinality
    as b (website_id, redirect_id, environment, hits, bot_hits, assistant_hits, micros, country, country_hits, visitor,
      referrer, referrer_hits, utm_source, utm_hits, ordinal)`;
}

function parseArray(text: string | null): number[] {
  return text === null ? [] : (JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
}
