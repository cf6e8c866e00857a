/** Surface B's numbers: who followed the redirects of a website, or one of them, in the last days. Read from the kept sums of each day. */
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { type HitScope, type HitSummary, readHitSummary } from '../hits/report/hit-summary.ts';
import { topRedirects } from '../hits/report/top-redirects.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { websiteNotFound } from '../websites/website.ts';
import { daysUntil } from './period.ts';

/** `now` says what today is; the period is the last `days` days with it. */
export interface HitPeriod {
  environment: Environment;
  days: number;
  now: Date;
}

/** Hits are GETs of people that a redirect answered; known bots are in `botHits` alone. */
export interface HitReport {
  hits: number;
  uniqueVisitors: number;
  /** the service's own time to answer in microseconds, rounded; null without hits */
  averageMicros: number | null;
  /** at most ten, most hits first; hits from unknown countries are in none */
  topCountries: { country: string; hits: number }[];
  /** every day of the period, today first */
  days: { day: string; hits: number }[];
  botHits: number;
}

export interface WebsiteHitReport extends HitReport {
  /** at most ten that are still there, most hits first */
  topRedirects: { redirectId: number; oldPath: string; hits: number }[];
  /** requests of people that no redirect matched */
  notFound: number;
}

const TOP = 10;

/** WEBSITE_NOT_FOUND where the website is not the account's. Hits of redirects that are deleted by now are counted. */
export async function reportWebsiteHits(
  db: Db,
  actor: Actor,
  { websiteId, ...period }: HitPeriod & { websiteId: number },
): Promise<WebsiteHitReport> {
  await requireOwn(db, actor, websiteId);
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
      // Deleted between the two reads.
      return oldPath === undefined ? [] : [{ redirectId, oldPath, hits }];
    }),
    notFound: summary.unmatched,
  };
}

/** REDIRECT_NOT_FOUND where the redirect is not the account's, or deleted. */
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

/** Less than the whole website: its hosts and environments would be two more round trips of a call that takes milliseconds. */
async function requireOwn(db: Db, actor: Actor, websiteId: number): Promise<void> {
  const { rows } = await db.execute(sql`
    select from websites where id = ${websiteId} and account_id = ${actor.accountId} and deleting_since is null`);
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
  const { rows } = await db.execute<{ id: number; old_path: string }>(sql`
    select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row.old_path]));
}
