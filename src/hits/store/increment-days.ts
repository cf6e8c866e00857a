/**
 * The fast write path of redirects with at most one country and one visitor in the batch: the database adds the counts
 * to the stored days itself. Reading, merging and writing back (merge-days.ts) costs twice as much.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { countryOfNumber } from '../counters/country-number.ts';
import { HASH_BYTES, HASHES, MAX_EXACT_OF_REDIRECT } from '../counters/visitor-sketch.ts';
import type { RedirectRow } from '../counters/write-batches.ts';
import { isInMonthOf } from './monthly-partitions.ts';
import { int4Array, int8Array, int8ArrayOfWords, textArray } from './pg-arrays.ts';

/**
 * The first byte of a visitor list, and the length from which a further visitor needs an estimate (visitor-sketch.ts).
 */
const LIST = sql.raw(`'\\x0${HASHES}'::bytea`);
const FULL_LIST = sql.raw(String(1 + MAX_EXACT_OF_REDIRECT * HASH_BYTES));

/**
 * Adds the counts of redirects with at most one country and one visitor. Returns those whose visitor is still to be
 * merged, because the stored list is full or an estimate. Requires `lockHitCounters` in the same transaction.
 */
export async function incrementDays(tx: Tx, day: string, rows: RedirectRow[]): Promise<RedirectRow[]> {
  if (rows.length === 0) return [];
  const { found, ordinals, unmerged } = await update(tx, day, rows);
  if (found < rows.length) {
    const existing = new Set(parseArray(ordinals));
    await insert(
      tx,
      day,
      rows.filter((_, i) => !existing.has(i + 1)),
    );
  }
  return parseArray(unmerged).flatMap((ordinal) => rows[ordinal - 1] ?? []);
}

interface Updated {
  /** number of existing rows */
  found: number;
  /** their ordinals if some rows do not exist; a PostgreSQL array as text, which is the fastest to parse */
  ordinals: string | null;
  /** ordinals of the rows whose visitor is still to be merged */
  unmerged: string | null;
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
      update redirect_hits h set hits = h.hits + b.hits, bot_hits = h.bot_hits + b.bot_hits, micros = h.micros + b.micros,
        countries = case when b.country = '' then h.countries
          else h.countries || jsonb_build_object(b.country, coalesce((h.countries ->> b.country)::bigint, 0) + b.country_hits) end,
        visitors = case when b.visitor = 0 then h.visitors
          when h.visitors = '' then ${LIST} || b.hash
          when get_byte(h.visitors, 0) = ${HASHES} and octet_length(h.visitors) < ${FULL_LIST}
            and position(b.hash in h.visitors) = 0 then h.visitors || b.hash
          else h.visitors end
      from b where h.website_id = b.website_id and h.redirect_id = b.redirect_id and h.environment = b.environment
        and h.day = b.day and ${isInMonthOf(day)}
      returning b.ordinal, case when b.visitor = 0 then false
        when get_byte(h.visitors, 0) <> ${HASHES} then true
        else octet_length(h.visitors) >= ${FULL_LIST} and position(b.hash in h.visitors) = 0 end as is_unmerged)
    select count(*)::int as found, case when count(*) < ${added.length} then array_agg(ordinal)::text end as ordinals,
      (array_agg(ordinal) filter (where is_unmerged))::text as unmerged from updated`);
  return rows[0] ?? { found: 0, ordinals: null, unmerged: null };
}

async function insert(tx: Tx, day: string, rows: RedirectRow[]): Promise<void> {
  await tx.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, micros,
      case when country = '' then '{}'::jsonb else jsonb_build_object(country, country_hits) end,
      case when visitor = 0 then ''::bytea else ${LIST} || int8send(visitor) end
    from ${unnested(rows)} order by website_id, redirect_id`);
}

/** Rows by column, which saves an object per row. */
function unnested(rows: RedirectRow[]): SQL {
  const websiteIds: number[] = [];
  const redirectIds: number[] = [];
  const environments: string[] = [];
  const hits: number[] = [];
  const botHits: number[] = [];
  const micros: number[] = [];
  const countries: string[] = [];
  const countryHits: number[] = [];
  const visitors: number[] = [];
  for (const { site, slot } of rows) {
    const counters = site.redirects.singleVisitorAt(slot);
    if (!counters) continue;
    websiteIds.push(site.websiteId);
    redirectIds.push(site.redirects.redirectIdAt(slot));
    environments.push(site.environment);
    hits.push(counters.hits);
    botHits.push(counters.botHits);
    micros.push(Math.round(counters.micros));
    countries.push(countryOfNumber(counters.country));
    countryHits.push(counters.countryHits);
    visitors.push(counters.high, counters.low);
  }
  return sql`unnest(${int4Array(websiteIds)}::int[], ${int8Array(redirectIds)}::bigint[], ${textArray(environments)}::text[],
    ${int8Array(hits)}::bigint[], ${int8Array(botHits)}::bigint[], ${int8Array(micros)}::bigint[],
    ${textArray(countries)}::text[], ${int8Array(countryHits)}::bigint[], ${int8ArrayOfWords(visitors)}::bigint[]) with ordinality
    as b (website_id, redirect_id, environment, hits, bot_hits, micros, country, country_hits, visitor, ordinal)`;
}

function parseArray(text: string | null): number[] {
  return text === null ? [] : (JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
}
