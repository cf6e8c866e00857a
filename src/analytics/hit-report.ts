/** Reports of hits for the analytics API, from the stored sums per day. */
import { sql } from 'drizzle-orm';
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/rows.ts';
import { type HitScope, type HitSummary, readHitSummary } from '../hits/report/hit-summary.ts';
import { topRedirects } from '../hits/report/top-redirects.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
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

/** Hits are human GETs that matched a redirect; `botHits` are those of known bots. */
export interface HitReport {
  hits: number;
  uniqueVisitors: number;
  /** average response time of the service in microseconds, rounded; null without hits */
  averageMicros: number | null;
  /** at most ten, most hits first, without unknown countries */
  topCountries: { country: string; hits: number }[];
  /** every day of the period, today first */
  days: { day: string; hits: number }[];
  botHits: number;
}

export interface WebsiteHitReport extends HitReport {
  /** at most ten existing redirects, most hits first */
  topRedirects: { redirectId: number; oldPath: string; hits: number }[];
  /** human requests that no redirect matched */
  notFound: number;
}

const TOP = 10;

/** Includes hits of deleted redirects. Throws WEBSITE_NOT_FOUND if the website does not belong to the account. */
export async function reportWebsiteHits(
  db: Db,
  actor: Actor,
  { websiteId, ...period }: HitPeriod & { websiteId: number },
): Promise<WebsiteHitReport> {
  await requireOwnWebsite(db, actor, websiteId);
  const { environment } = period;
  const days = daysUntil(period.now, period.days);
  const [summary, top] = await Promise.all([
    readHitSummary(db, { websiteId, environment }, rangeOf(days)),
    topRedirects(db, websiteId, environment, rangeOf(days), TOP),
  ]);
  const paths = await oldPathsOf(
    db,
    websiteId,
    top.map(({ redirectId }) => redirectId),
  );
  return {
    ...reportOf(summary, days),
    topRedirects: top.flatMap(({ redirectId, hits }) => {
      const oldPath = paths.get(redirectId);
      // The redirect was deleted between the two reads.
      return oldPath === undefined ? [] : [{ redirectId, oldPath, hits }];
    }),
    notFound: summary.unmatched,
  };
}

/** Throws REDIRECT_NOT_FOUND if the redirect is deleted or does not belong to the account. */
export async function reportRedirectHits(
  db: Db,
  actor: Actor,
  { redirectId, ...period }: HitPeriod & { redirectId: number },
): Promise<HitReport> {
  const { websiteId } = await requireRedirectRow(db, actor, redirectId);
  const days = daysUntil(period.now, period.days);
  const scope: HitScope = { websiteId, environment: period.environment, redirectId };
  return reportOf(await readHitSummary(db, scope, rangeOf(days)), days);
}

/** Cheaper than `requireWebsite`, which reads hosts and environments in two more round trips. */
async function requireOwnWebsite(db: Db, actor: Actor, websiteId: number): Promise<void> {
  const { rows } = await db.execute(sql`
    select from websites where id = ${websiteId} and ${isOwnWebsite(actor)}`);
  if (rows.length === 0) throw websiteNotFound(websiteId);
}

function rangeOf(days: [string, ...string[]]): { from: string; to: string } {
  return { from: days.at(-1) ?? days[0], to: days[0] };
}

function reportOf(summary: HitSummary, days: string[]): HitReport {
  const counted = new Map(summary.days.map(({ day, hits }) => [day, hits]));
  return {
    hits: summary.hits,
    uniqueVisitors: summary.uniqueVisitors,
    averageMicros: summary.hits === 0 ? null : Math.round(summary.micros / summary.hits),
    topCountries: summary.countries.slice(0, TOP),
    days: days.map((day) => ({ day, hits: counted.get(day) ?? 0 })),
    botHits: summary.botHits,
  };
}

async function oldPathsOf(db: Db, websiteId: number, ids: number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ id: number; oldPath: string }>(
    db,
  )`select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`;
  return new Map(rows.map(({ id, oldPath }) => [id, oldPath]));
}
