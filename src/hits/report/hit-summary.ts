import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { countVisitors, createSketch, MAX_EXACT_OF_WEBSITE, mergeEncoded } from '../counters/visitor-sketch.ts';

/** A redirect, or the whole website without `redirectId`. */
export interface HitScope {
  websiteId: number;
  environment: Environment;
  redirectId?: number;
}

/** UTC days `YYYY-MM-DD`, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/** `hits`, `micros`, `countries` and `uniqueVisitors` exclude known bots and assistants. */
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

/** Returns the days with requests, newest first. */
export function readHitDays(db: Queryable, scope: HitScope, range: DayRange): Promise<StoredDay[]> {
  return queryRows<StoredDay>(db)`
    select day::text as day, hits, bot_hits, assistant_hits, micros, countries, visitors, ${columnsOf(scope)}
    where website_id = ${scope.websiteId} and environment = ${scope.environment}
      and day between ${range.from}::date and ${range.to}::date
    order by day desc`;
}

/** Returns the sums over the days; zeros if there are no requests. Reads one row per day. */
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

function columnsOf({ redirectId }: HitScope) {
  if (redirectId === undefined) return sql`unmatched, unmatched_bots, unmatched_assistants from website_hits`;
  return sql`0 as unmatched, 0 as unmatched_bots, 0 as unmatched_assistants
    from (select * from redirect_hits where redirect_id = ${redirectId}) as hits`;
}
