import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { countVisitors, createSketch, EXACT_OF_WEBSITE, mergeEncoded } from '../count/visitor-sketch.ts';

/** Whose hits: those of one redirect, or of the website where `redirectId` is left out. */
export interface HitScope {
  websiteId: number;
  environment: Environment;
  redirectId?: number;
}

/** Days (UTC) as `YYYY-MM-DD`, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/** `hits`, `micros`, `countries` and `uniqueVisitors` are of people. */
export interface HitSummary {
  hits: number;
  botHits: number;
  /** the service's own time for the hits, in microseconds */
  micros: number;
  /** requests that no redirect matched; 0 for a redirect */
  unmatched: number;
  unmatchedBots: number;
  /** different ones over all days */
  uniqueVisitors: number;
  /** most hits first, then by code; what is not known is left out */
  countries: { country: string; hits: number }[];
  /** the days on which anything was counted, the newest first */
  days: { day: string; hits: number }[];
}

interface Row extends Record<string, unknown> {
  day: string;
  hits: number;
  bot_hits: number;
  micros: number;
  countries: Record<string, number>;
  visitors: Buffer;
  unmatched: number;
  unmatched_bots: number;
}

/** What the days add up to; zeros where nothing was counted. Reads a row a day. */
export async function readHitSummary(db: Queryable, scope: HitScope, range: DayRange): Promise<HitSummary> {
  const { rows } = await db.execute<Row>(sql`
    select day::text as day, hits, bot_hits, micros, countries, visitors, ${columnsOf(scope)}
    where website_id = ${scope.websiteId} and environment = ${scope.environment}
      and day between ${range.from}::date and ${range.to}::date
    order by day desc`);
  const visitors = createSketch(EXACT_OF_WEBSITE);
  const countries = new Map<string, number>();
  for (const row of rows) {
    mergeEncoded(visitors, row.visitors);
    for (const [country, hits] of Object.entries(row.countries))
      countries.set(country, (countries.get(country) ?? 0) + hits);
  }
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    hits: sum((row) => row.hits),
    botHits: sum((row) => row.bot_hits),
    micros: sum((row) => row.micros),
    unmatched: sum((row) => row.unmatched),
    unmatchedBots: sum((row) => row.unmatched_bots),
    uniqueVisitors: countVisitors(visitors),
    countries: [...countries]
      .map(([country, hits]) => ({ country, hits }))
      .sort((a, b) => b.hits - a.hits || (a.country < b.country ? -1 : 1)),
    days: rows.map(({ day, hits }) => ({ day, hits })),
  };
}

function columnsOf({ redirectId }: HitScope) {
  if (redirectId === undefined) return sql`unmatched, unmatched_bots from website_hits`;
  return sql`0 as unmatched, 0 as unmatched_bots from (select * from redirect_hits where redirect_id = ${redirectId}) as hits`;
}
