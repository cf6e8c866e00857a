/** Reports of hits for the analytics API, from the stored sums per day. */
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { readGroupHits } from '../hits/report/group-hits.ts';
import { type DayRange, type HitScope, type HitSummary, readHitSummary } from '../hits/report/hit-summary.ts';
import { readSources } from '../hits/report/hit-sources.ts';
import { topRedirects } from '../hits/report/top-redirects.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
import { utcDay } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { websiteNotFound } from '../websites/website.ts';
import { daysUntil } from './period.ts';

/** The last `days` days up to today, the UTC day of `now`. */
export interface HitPeriod {
  environment: Environment;
  days: number;
  now: Date;
}

export interface HitReportInput extends HitPeriod {
  /** maximum length of each list, except the days */
  limit: number;
  /** for how many days hits are retained */
  retentionDays: number;
}

export type HitReport = Awaited<ReturnType<typeof reportHits>>;
export type WebsiteHitReport = Awaited<ReturnType<typeof reportWebsiteHits>>;

/** Includes hits of deleted redirects. Throws WEBSITE_NOT_FOUND if the website does not belong to the account. */
export async function reportWebsiteHits(
  db: Db,
  actor: Actor,
  { websiteId, ...input }: HitReportInput & { websiteId: number },
) {
  await requireOwnWebsite(db, actor, websiteId);
  const { environment, limit } = input;
  const [report, top] = await Promise.all([
    reportHits(db, { websiteId, environment }, input),
    topRedirects(db, websiteId, environment, rangeOf(daysUntil(input.now, input.days)), limit),
  ]);
  const ids = top.map(({ redirectId }) => redirectId);
  const paths = await oldPathsOf(db, websiteId, ids);
  return {
    ...report,
    /** existing redirects, most hits first */
    topRedirects: top.flatMap(({ redirectId, hits }) => {
      const oldPath = paths.get(redirectId);
      // The redirect was deleted between the two reads.
      return oldPath === undefined ? [] : [{ redirectId, oldPath, hits }];
    }),
  };
}

/** Throws REDIRECT_NOT_FOUND if the redirect is deleted or does not belong to the account. */
export async function reportRedirectHits(
  db: Db,
  actor: Actor,
  { redirectId, ...input }: HitReportInput & { redirectId: number },
): Promise<HitReport> {
  const { websiteId } = await requireRedirectRow(db, actor, redirectId);
  return reportHits(db, { websiteId, environment: input.environment, redirectId }, input);
}

/**
 * Hits of the groups that the website's redirects have now: most first, without groups that have no hits. Throws
 * WEBSITE_NOT_FOUND if the website does not belong to the account.
 */
export async function reportGroupHits(
  db: Db,
  actor: Actor,
  { websiteId, environment, days, now, limit }: HitPeriod & { websiteId: number; limit: number },
) {
  await requireOwnWebsite(db, actor, websiteId);
  return readGroupHits(db, { websiteId, environment }, rangeOf(daysUntil(now, days)), limit);
}

/** Cheaper than `requireWebsite`, which reads hosts and environments in two more round trips. */
export async function requireOwnWebsite(db: Queryable, actor: Actor, websiteId: number): Promise<void> {
  const { rows } = await db.execute(sql`
    select from websites where id = ${websiteId} and ${isOwnWebsite(actor)}`);
  if (rows.length === 0) throw websiteNotFound(websiteId);
}

async function reportHits(db: Db, scope: HitScope, { days: count, now, limit, retentionDays }: HitReportInput) {
  const days = daysUntil(now, count);
  const before = daysUntil(now, count, count);
  const isRetained = rangeOf(before).from >= utcDay(now, -retentionDays);
  const [summary, previous, referrers, utmSources] = await Promise.all([
    readHitSummary(db, scope, rangeOf(days)),
    isRetained ? readHitSummary(db, scope, rangeOf(before)) : undefined,
    readSources(db, scope, rangeOf(days), { column: 'referrers', limit }),
    readSources(db, scope, rangeOf(days), { column: 'utm_sources', limit }),
  ]);
  const known = summary.countries.reduce((sum, { hits }) => sum + hits, 0);
  return {
    ...totalsOf(summary, days),
    /** most hits first, without unknown countries */
    topCountries: summary.countries.slice(0, limit),
    referrers,
    utmSources,
    unknownCountryHits: Math.max(0, summary.hits - known),
    /** The same number of days before the period. Null without requests, or if not all of them are retained. */
    previous: previous && previous.days.length > 0 ? totalsOf(previous, before) : null,
  };
}

/** The range of days that are listed newest first. */
export function rangeOf(days: [string, ...string[]]): DayRange {
  return { from: days.at(-1) ?? days[0], to: days[0] };
}

export type HitTotals = ReturnType<typeof totalsOf>;

/** Hits are human GETs that matched a redirect; `botHits` are those of known bots, `assistantHits` of assistants. */
function totalsOf(summary: HitSummary, days: string[]) {
  const counted = new Map(summary.days.map(({ day, hits }) => [day, hits]));
  return {
    hits: summary.hits,
    uniqueVisitors: summary.uniqueVisitors,
    /** average response time of the service in microseconds, rounded; null without hits */
    averageMicros: summary.hits === 0 ? null : Math.round(summary.micros / summary.hits),
    /** every day of the period, newest first */
    days: days.map((day) => ({ day, hits: counted.get(day) ?? 0 })),
    botHits: summary.botHits,
    assistantHits: summary.assistantHits,
    /** human requests that no redirect matched; 0 for a redirect */
    notFound: summary.unmatched,
  };
}

async function oldPathsOf(db: Db, websiteId: number, ids: number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ id: number; oldPath: string }>(db)`
    select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`;
  return new Map(rows.map(({ id, oldPath }) => [id, oldPath]));
}
