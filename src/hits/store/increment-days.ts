/**
 * The fast write path of redirects: the database adds the counts to the stored days itself. Taken for redirects with at
 * most one country and one visitor in the batch, which are most of them. Reading, merging and writing back
 * (merge-days.ts) costs twice as much.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { countryOfNumber } from '../counters/country-number.ts';
import type { SingleVisitorCounters } from '../counters/redirect-counters.ts';
import { HASH_BYTES, HASHES, MAX_EXACT_OF_REDIRECT } from '../counters/visitor-sketch.ts';
import type { RedirectRow } from '../counters/write-batches.ts';
import { isInMonthOf } from './monthly-partitions.ts';
import { int4Array, int8Array, int8ArrayOfWords, textArray } from './pg-arrays.ts';

/** Rows by column, which saves an object per row. */
interface Columns {
  websiteIds: number[];
  redirectIds: number[];
  environments: string[];
  hits: number[];
  botHits: number[];
  micros: number[];
  /** empty: unknown */
  countries: string[];
  countryHits: number[];
  /** hashes as two words each; both 0: no visitor */
  visitors: number[];
}

/**
 * The first byte of a visitor list, and the length from which a further visitor needs an estimate (visitor-sketch.ts).
 */
const LIST = sql.raw(`'\\x0${HASHES}'::bytea`);
const FULL_LIST = sql.raw(String(1 + MAX_EXACT_OF_REDIRECT * HASH_BYTES));

export interface DayIncrements {
  add(row: RedirectRow, counters: Readonly<SingleVisitorCounters>): void;
  /**
   * Adds all rows. Returns those whose visitor is still to be merged, because the stored list is full or an estimate.
   * Requires `lockHitCounters` in the same transaction.
   */
  write(tx: Tx, day: string): Promise<RedirectRow[]>;
}

export function createDayIncrements(): DayIncrements {
  const rows: RedirectRow[] = [];
  const columns: Columns = {
    websiteIds: [],
    redirectIds: [],
    environments: [],
    hits: [],
    botHits: [],
    micros: [],
    countries: [],
    countryHits: [],
    visitors: [],
  };
  return {
    add(row, counters) {
      rows.push(row);
      columns.websiteIds.push(row.site.websiteId);
      columns.redirectIds.push(row.site.redirects.redirectIdAt(row.slot));
      columns.environments.push(row.site.environment);
      columns.hits.push(counters.hits);
      columns.botHits.push(counters.botHits);
      columns.micros.push(Math.round(counters.micros));
      columns.countries.push(countryOfNumber(counters.country));
      columns.countryHits.push(counters.countryHits);
      columns.visitors.push(counters.high, counters.low);
    },
    async write(tx, day) {
      if (rows.length === 0) return [];
      const { found, ordinals, unmerged } = await update(tx, day, columns, rows.length);
      if (found < rows.length) await insert(tx, day, without(columns, new Set(parseArray(ordinals))));
      return parseArray(unmerged).flatMap((ordinal) => rows[ordinal - 1] ?? []);
    },
  };
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
async function update(tx: Tx, day: string, columns: Columns, length: number): Promise<Updated> {
  const { rows } = await tx.execute<Updated & Record<string, unknown>>(sql`
    with b as materialized (
      select *, ${day}::date as day, int8send(visitor) as hash from ${unnested(columns)} order by website_id, redirect_id),
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
    select count(*)::int as found, case when count(*) < ${length} then array_agg(ordinal)::text end as ordinals,
      (array_agg(ordinal) filter (where is_unmerged))::text as unmerged from updated`);
  return rows[0] ?? { found: 0, ordinals: null, unmerged: null };
}

async function insert(tx: Tx, day: string, columns: Columns): Promise<void> {
  await tx.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, micros,
      case when country = '' then '{}'::jsonb else jsonb_build_object(country, country_hits) end,
      case when visitor = 0 then ''::bytea else ${LIST} || int8send(visitor) end
    from ${unnested(columns)} order by website_id, redirect_id`);
}

function unnested(columns: Columns): SQL {
  return sql`unnest(${int4Array(columns.websiteIds)}::int[], ${int8Array(columns.redirectIds)}::bigint[],
    ${textArray(columns.environments)}::text[], ${int8Array(columns.hits)}::bigint[], ${int8Array(columns.botHits)}::bigint[],
    ${int8Array(columns.micros)}::bigint[], ${textArray(columns.countries)}::text[], ${int8Array(columns.countryHits)}::bigint[],
    ${int8ArrayOfWords(columns.visitors)}::bigint[]) with ordinality
    as b (website_id, redirect_id, environment, hits, bot_hits, micros, country, country_hits, visitor, ordinal)`;
}

/** The rows whose ordinal, counted from 1, is not in the set. */
function without(columns: Columns, ordinals: Set<number>): Columns {
  const isIncluded = (_: unknown, i: number): boolean => !ordinals.has(i + 1);
  return {
    websiteIds: columns.websiteIds.filter(isIncluded),
    redirectIds: columns.redirectIds.filter(isIncluded),
    environments: columns.environments.filter(isIncluded),
    hits: columns.hits.filter(isIncluded),
    botHits: columns.botHits.filter(isIncluded),
    micros: columns.micros.filter(isIncluded),
    countries: columns.countries.filter(isIncluded),
    countryHits: columns.countryHits.filter(isIncluded),
    visitors: columns.visitors.filter((_, i) => !ordinals.has((i >> 1) + 1)),
  };
}

function parseArray(text: string | null): number[] {
  return text === null ? [] : (JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
}
