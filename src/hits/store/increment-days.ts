/**
 * Adds to the days of redirects what most of them have of a second: hits from one country, of one visitor. The database adds that up
 * itself, so that nothing is read, merged and written back; that took twice the time.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { RedirectRow } from '../count/batches.ts';
import { int8Array, int4Array, textArray, wordPairs } from './pg-arrays.ts';
import { countryOfNumber } from '../count/country.ts';
import { inMonthOf } from './monthly-partitions.ts';
import type { PlainTally } from '../count/redirect-counters.ts';
import { BYTES_OF_HASH, EXACT_OF_REDIRECT, HASHES } from '../count/visitor-sketch.ts';

/** Rows by their columns: an object each would be one more to make. */
interface Columns {
  websiteIds: number[];
  redirectIds: number[];
  environments: string[];
  hits: number[];
  botHits: number[];
  micros: number[];
  /** empty: not known */
  countries: string[];
  countryHits: number[];
  /** hashes in two words each; two zeros: nobody */
  visitors: number[];
}

/** What a list of visitors begins with, and how long it becomes before it has to be an estimate. */
const LIST = sql.raw(`'\\x0${HASHES}'::bytea`);
const LONGEST_LIST = sql.raw(String(1 + EXACT_OF_REDIRECT * BYTES_OF_HASH));

export interface DayIncrements {
  add(row: RedirectRow, tally: Readonly<PlainTally>): void;
  /**
   * Adds all of it. Answers the rows whose visitor is not noted, as their visitors are an estimate, or have to be from now on. Part of a
   * transaction in which nobody else writes those websites.
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
    add(row, tally) {
      rows.push(row);
      columns.websiteIds.push(row.site.websiteId);
      columns.redirectIds.push(row.site.redirects.redirectIdAt(row.place));
      columns.environments.push(row.site.environment);
      columns.hits.push(tally.hits);
      columns.botHits.push(tally.botHits);
      columns.micros.push(Math.round(tally.micros));
      columns.countries.push(countryOfNumber(tally.country));
      columns.countryHits.push(tally.countryHits);
      columns.visitors.push(tally.high, tally.low);
    },
    async write(tx, day) {
      if (rows.length === 0) return [];
      const { found, places, unnoted } = await update(tx, day, columns, rows.length);
      if (found < rows.length) await insert(tx, day, without(columns, new Set(placesOf(places))));
      return placesOf(unnoted).flatMap((place) => rows[place - 1] ?? []);
    },
  };
}

interface Updated extends Record<string, unknown> {
  /** how many rows were there */
  found: number;
  /** their places from 1 where not all of them were, as an array of PostgreSQL in text; a few thousand numbers are parsed faster here */
  places: string | null;
  /** those whose visitor could not be noted */
  unnoted: string | null;
}

/**
 * The day is a column of what is added, not a constant: of a day that its statistics do not know, as each is in its first hours, the
 * planner thinks that there are no rows yet, begins with those and looks at all of them for each row that is added.
 *
 * A hash is looked for at any byte: that it is found where none begins, and so is left out, comes about once in 10^17 times.
 */
async function update(tx: Tx, day: string, columns: Columns, length: number): Promise<Updated> {
  const { rows } = await tx.execute<Updated>(sql`
    with b as materialized (
      select *, ${day}::date as day, int8send(visitor) as hash from ${unnested(columns)} order by website_id, redirect_id),
    updated as (
      update redirect_hits h set hits = h.hits + b.hits, bot_hits = h.bot_hits + b.bot_hits, micros = h.micros + b.micros,
        countries = case when b.country = '' then h.countries
          else h.countries || jsonb_build_object(b.country, coalesce((h.countries ->> b.country)::bigint, 0) + b.country_hits) end,
        visitors = case when b.visitor = 0 then h.visitors
          when h.visitors = '' then ${LIST} || b.hash
          when get_byte(h.visitors, 0) = ${HASHES} and octet_length(h.visitors) < ${LONGEST_LIST}
            and position(b.hash in h.visitors) = 0 then h.visitors || b.hash
          else h.visitors end
      from b where h.website_id = b.website_id and h.redirect_id = b.redirect_id and h.environment = b.environment
        and h.day = b.day and ${inMonthOf(day)}
      returning b.place, case when b.visitor = 0 then false
        when get_byte(h.visitors, 0) <> ${HASHES} then true
        else octet_length(h.visitors) >= ${LONGEST_LIST} and position(b.hash in h.visitors) = 0 end as is_unnoted)
    select count(*)::int as found, case when count(*) < ${length} then array_agg(place)::text end as places,
      (array_agg(place) filter (where is_unnoted))::text as unnoted from updated`);
  return rows[0] ?? { found: 0, places: null, unnoted: null };
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
  return sql`unnest(${int4Array(columns.websiteIds)}::int[], ${int8Array(columns.redirectIds)}::bigint[], ${textArray(columns.environments)}::text[],
    ${int8Array(columns.hits)}::bigint[], ${int8Array(columns.botHits)}::bigint[], ${int8Array(columns.micros)}::bigint[],
    ${textArray(columns.countries)}::text[], ${int8Array(columns.countryHits)}::bigint[], ${wordPairs(columns.visitors)}::bigint[])
    with ordinality as b (website_id, redirect_id, environment, hits, bot_hits, micros, country, country_hits, visitor, place)`;
}

/** The rows that are at none of these places, which are counted from 1. */
function without(columns: Columns, places: Set<number>): Columns {
  const isLeft = (_: unknown, i: number): boolean => !places.has(i + 1);
  return {
    websiteIds: columns.websiteIds.filter(isLeft),
    redirectIds: columns.redirectIds.filter(isLeft),
    environments: columns.environments.filter(isLeft),
    hits: columns.hits.filter(isLeft),
    botHits: columns.botHits.filter(isLeft),
    micros: columns.micros.filter(isLeft),
    countries: columns.countries.filter(isLeft),
    countryHits: columns.countryHits.filter(isLeft),
    visitors: columns.visitors.filter((_, i) => !places.has((i >> 1) + 1)),
  };
}

function placesOf(array: string | null): number[] {
  return array === null ? [] : (JSON.parse(`[${array.slice(1, -1)}]`) as number[]);
}
