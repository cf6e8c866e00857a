/**
 * Exact report of the redirects of a website. Triggers maintain the counts by day and group for each combination of
 * target environments (`redirect_days`, `redirect_groups`), so a report does not read the redirects. The number of live
 * redirects follows from the targets, corrected by undeployed changes (live-difference.ts).
 */
import type { Db, Queryable } from '../db/connection/client.ts';
import { asc, count, eq, type SQL, sql, type SQLWrapper } from '../db/drizzle.ts';
import { redirectDays, redirectGroups } from '../db/schema/redirects.ts';
import { type LiveEnvironmentRow, readLive } from '../deployments/live/database/live.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { readLiveDifference } from './live-difference.ts';
import { type DayRange, dayRange, type Period, periodOf, periodsIn } from './period.ts';

export interface Counted {
  redirects: number;
  /** redirects that are live in at least one environment, in any version */
  deployed: number;
}

export type WebsiteReport = Awaited<ReturnType<typeof reportWebsite>>;

export interface ReportInput {
  websiteId: number;
  startDate?: string | undefined;
  endDate?: string | undefined;
  period: Period;
}

const TOP_GROUPS = 10;

/**
 * Returns the report from one snapshot. Throws WEBSITE_NOT_FOUND if it is not a website of the account, and the errors
 * of `dayRange`.
 */
export async function reportWebsite(db: Db, actor: Actor, input: ReportInput, now: Date) {
  const range = dayRange(input, now);
  return db.transaction(
    async (tx) => {
      const website = await requireWebsiteRow(tx, actor, input.websiteId);
      const live = (await readLive(tx, [website.id])).filter((at) => at.liveVersion > 0);
      const top = await readTopGroups(tx, website.id, live);
      const [groups] = await tx
        .select({ count: count() })
        .from(redirectGroups)
        .where(eq(redirectGroups.websiteId, website.id));
      const groupIds = top.map((group) => group.groupId);
      const difference = await readLiveDifference(tx, website, live, groupIds);
      const stored = await readDays(tx, website.id, live);
      const days = stored.map((row) => add(row, difference.days.get(row.day)));
      const environments = { production: 0, staging: 0, development: 0 };
      for (const at of live) environments[at.environment] = at.redirectCount;
      return {
        website: { id: website.id, name: website.name },
        range,
        total: sum(days),
        groups: groups?.count ?? 0,
        /** redirects by time of creation: every period of the range, oldest first */
        timeSeries: seriesOf(days, range, input.period),
        /** largest first, then by name */
        topGroups: top.map((row) => add(row, difference.groups.get(row.groupId))),
        /** number of served rules */
        environments,
      };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

function readDays(db: Queryable, websiteId: number, live: LiveEnvironmentRow[]) {
  const { day, redirects, byTargets } = redirectDays;
  return db
    .select({ day, redirects, deployed: targetedAt(live, byTargets) })
    .from(redirectDays)
    .where(eq(redirectDays.websiteId, websiteId));
}

function readTopGroups(db: Queryable, websiteId: number, live: LiveEnvironmentRow[]) {
  const { groupId, redirects, byTargets } = redirectGroups;
  return (
    db
      .select({ groupId, redirects, deployed: targetedAt(live, byTargets) })
      .from(redirectGroups)
      .where(eq(redirectGroups.websiteId, websiteId))
      // The same order as the index, nulls included, or PostgreSQL does not use it.
      .orderBy(sql`${redirects} desc nulls last`, asc(groupId))
      .limit(TOP_GROUPS)
  );
}

/** The number of counted redirects that target a served environment. */
function targetedAt(live: LiveEnvironmentRow[], byTargets: SQLWrapper): SQL<number> {
  const served = ENVIRONMENTS.reduce((bits, one, i) => bits | (live.some((at) => at.rulesEnv === one) ? 1 << i : 0), 0);
  const counts = [1, 2, 3, 4, 5, 6, 7]
    .filter((targets) => targets & served)
    // PostgreSQL arrays start at index 1.
    .map((targets) => sql`${byTargets}[${sql.raw(String(targets + 1))}]`);
  return counts.length === 0 ? sql<number>`0` : sql<number>`${sql.join(counts, sql` + `)}`;
}

const add = <Row extends Counted>(row: Row, difference = 0): Row => ({ ...row, deployed: row.deployed + difference });

function sum(counts: Counted[]): Counted {
  const total = { redirects: 0, deployed: 0 };
  for (const { redirects, deployed } of counts) {
    total.redirects += redirects;
    total.deployed += deployed;
  }
  return total;
}

function seriesOf(days: ({ day: string } & Counted)[], range: DayRange, period: Period) {
  const byPeriod = new Map<string, Counted[]>(periodsIn(range, period).map((first) => [first, []]));
  for (const one of days) {
    if (one.day < range.startDate || one.day > range.endDate) continue;
    byPeriod.get(periodOf(one.day, period))?.push(one);
  }
  return [...byPeriod].map(([first, counts]) => ({ period: first, ...sum(counts) }));
}
