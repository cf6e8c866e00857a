import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { countVisitors, createSketch, MAX_EXACT_OF_WEBSITE, mergeEncoded } from '../counters/visitor-sketch.ts';
import { countedHits, type DayRange, type HitScope, storedDays } from './hit-rows.ts';

/** `hits`, `micros`, `countries` and `uniqueVisitors` exclude known bots and assistants, unless the scope has a filter. */
export interface HitSummary {
  hits: number;
  botHits: number;
  assistantHits: number;
  /** response time of the service, in microseconds, summed over `hits` */
  micros: number;
  /** requests that no redirect matched; 0 for a redirect */
  unmatched: number;
  unmatchedBots: number;
  unmatchedAssistants: number;
  /** over all days together */
  uniqueVisitors: number;
  /** most hits first, then by code; without unknown countries */
  countries: { country: string; hits: number }[];
  /** days with requests, newest first */
  days: { day: string; hits: number }[];
}

/** A day as it is stored. */
export interface StoredDay {
  day: string;
  hits: number;
  botHits: number;
  assistantHits: number;
  micros: number;
  countries: Record<string, number>;
  /** an encoded sketch (hits/counters/visitor-sketch.ts) */
  visitors: Buffer;
  unmatched: number;
  unmatchedBots: number;
  unmatchedAssistants: number;
}

/** Returns the days with requests, newest first. Those of a group have no visitors, which would need every sketch. */
export function readHitDays(db: Queryable, scope: HitScope, range: DayRange): Promise<StoredDay[]> {
  const { groupId, redirectId, filter } = scope;
  if (groupId !== undefined) return readGroupDays(db, scope, range);
  const unmatched =
    redirectId === undefined
      ? sql`h.unmatched, h.unmatched_bots, h.unmatched_assistants`
      : sql`0 as unmatched, 0 as unmatched_bots, 0 as unmatched_assistants`;
  return queryRows<StoredDay>(db)`
    select h.day::text as day, ${countedHits(filter)} as hits, h.bot_hits, h.assistant_hits, h.micros, h.countries,
      h.visitors, ${unmatched}
    ${storedDays(scope, [range])} order by h.day desc`;
}

function readGroupDays(db: Queryable, scope: HitScope, range: DayRange): Promise<StoredDay[]> {
  // A part of the hits has no countries.
  const countries = scope.filter ? sql`'{}'::jsonb` : sql`h.countries`;
  return queryRows<StoredDay>(db)`
    with days as materialized (
      select h.day, ${countedHits(scope.filter)} as hits, h.bot_hits, h.assistant_hits, h.micros, ${countries} as countries
      ${storedDays(scope, [range])}),
    names as (
      select n.day, jsonb_object_agg(n.key, n.hits) as countries from (
        select days.day, e.key, sum(e.value::bigint) as hits
        from days cross join lateral jsonb_each_text(days.countries) e group by 1, 2) n
      group by 1)
    select t.day::text as day, t.hits, t.bot_hits, t.assistant_hits, t.micros, coalesce(n.countries, '{}') as countries,
      ''::bytea as visitors, 0 as unmatched, 0 as unmatched_bots, 0 as unmatched_assistants
    from (
      select day, sum(hits)::bigint as hits, sum(bot_hits)::bigint as bot_hits,
        sum(assistant_hits)::bigint as assistant_hits, sum(micros)::bigint as micros
      from days group by 1) t
    left join names n using (day) order by t.day desc`;
}

/**
 * Returns the sums over the days; zeros if there are no requests. Reads one row per day, or of a group one per redirect
 * and day.
 */
export async function readHitSummary(db: Queryable, scope: HitScope, range: DayRange): Promise<HitSummary> {
  const rows = await readHitDays(db, scope, range);
  const visitors = createSketch(MAX_EXACT_OF_WEBSITE);
  for (const row of rows) mergeEncoded(visitors, row.visitors);
  const sum = (of: (row: StoredDay) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    hits: sum((row) => row.hits),
    botHits: sum((row) => row.botHits),
    assistantHits: sum((row) => row.assistantHits),
    micros: sum((row) => row.micros),
    unmatched: sum((row) => row.unmatched),
    unmatchedBots: sum((row) => row.unmatchedBots),
    unmatchedAssistants: sum((row) => row.unmatchedAssistants),
    uniqueVisitors: countVisitors(visitors),
    countries: addNamed(rows.map((row) => row.countries)).map(({ name, hits }) => ({ country: name, hits })),
    days: rows.map(({ day, hits }) => ({ day, hits })),
  };
}

/** Adds up hits by name. Most hits first, then by name. */
export function addNamed(days: Record<string, number>[]): { name: string; hits: number }[] {
  const sums = new Map<string, number>();
  for (const day of days) {
    for (const [name, hits] of Object.entries(day)) sums.set(name, (sums.get(name) ?? 0) + hits);
  }
  return [...sums]
    .map(([name, hits]) => ({ name, hits }))
    .sort((a, b) => b.hits - a.hits || (a.name < b.name ? -1 : 1));
}
