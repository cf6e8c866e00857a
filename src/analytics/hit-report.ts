/** Reports of hits for the analytics API, from the stored sums per day. */
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { readGroupHits } from '../hits/report/group-hits.ts';
import type { DayRange, HitFilter, HitScope } from '../hits/report/hit-rows.ts';
import { type HitSummary, readHitSummary } from '../hits/report/hit-summary.ts';
import { readNamedHits } from '../hits/store/named-hits.ts';
import { readSources, type SourceColumn } from '../hits/report/hit-sources.ts';
import { readRedirectHits, topRedirects } from '../hits/report/top-redirects.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
import { utcDay } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { websiteNotFound } from '../websites/website.ts';
import { reportHours } from './hit-hours.ts';
import { type DayRange as Period, daysOf, type HitPeriodChoice, hitPeriods } from './period.ts';

export interface HitReportInput extends HitPeriodChoice {
  environment: Environment;
  now: Date;
  /** at most one field */
  filter?: HitFilter | undefined;
  /** maximum length of each list, except the days */
  limit: number;
  /** for how many days hits are retained */
  retentionDays: number;
}

interface WebsiteInput extends HitReportInput {
  websiteId: number;
  /** only redirects that are in the group now */
  groupId?: string | undefined;
}

export type HitReport = Awaited<ReturnType<typeof reportHits>>;
export type WebsiteHitReport = Awaited<ReturnType<typeof reportWebsiteHits>>;

/** Includes hits of deleted redirects. Throws WEBSITE_NOT_FOUND if the website does not belong to the account. */
export async function reportWebsiteHits(db: Db, actor: Actor, input: WebsiteInput) {
  const { websiteId, groupId } = input;
  await requireOwnWebsite(db, actor, websiteId);
  const scope = { ...scopeOf(input), ...(groupId !== undefined && { groupId }) };
  const ranges = rangesOf(input);
  const { range, before } = ranges;
  const turn = scope.filter || groupId !== undefined ? oneByOne() : atOnce;
  const isNamed = groupId === undefined && (!scope.filter || scope.filter.agents !== undefined);
  const [report, top, named, hours] = await Promise.all([
    reportHits(db, scope, input, turn),
    turn(() => topRedirects(db, scope, range, input.limit)),
    isNamed ? turn(() => readNamedHits(db, scope, range)) : null,
    turn(() => reportHours(db, scope, ranges, input.now)),
  ]);
  const ids = top.map(({ redirectId }) => redirectId);
  const [paths, earlier] = await Promise.all([
    turn(() => oldPathsOf(db, websiteId, ids)),
    report.previous && before && turn(() => readRedirectHits(db, scope, before, ids)),
  ]);
  return {
    ...report,
    /** bots and assistants by name; null for a group and for other filters, of which no names are stored */
    namedAgents: named,
    unnamedRequests:
      named && Math.max(0, report.agentRequests - named.reduce((sum, { requests }) => sum + requests, 0)),
    hours,
    /** existing redirects, most hits first */
    topRedirects: top.flatMap(({ redirectId, hits }) => {
      const oldPath = paths.get(redirectId);
      // The redirect was deleted between the two reads.
      if (oldPath === undefined) return [];
      return [{ redirectId, oldPath, hits, previousHits: earlier?.get(redirectId) ?? 0 }];
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
  return reportHits(db, { ...scopeOf({ websiteId, ...input }), redirectId }, input);
}

/**
 * Hits of the groups that the website's redirects have now: most first, without groups that have no hits. Throws
 * WEBSITE_NOT_FOUND if the website does not belong to the account.
 */
export async function reportGroupHits(db: Db, actor: Actor, input: HitReportInput & { websiteId: number }) {
  await requireOwnWebsite(db, actor, input.websiteId);
  const { range, before } = rangesOf(input);
  const { groups, groupedHits } = await readGroupHits(db, scopeOf(input), { range, before, limit: input.limit });
  return {
    groups: groups.map((group) => ({ ...group, previousHits: before ? group.previousHits : null })),
    groupedHits,
  };
}

/** Cheaper than `requireWebsite`, which reads hosts and environments in two more round trips. */
export async function requireOwnWebsite(db: Queryable, actor: Actor, websiteId: number): Promise<void> {
  const { rows } = await db.execute(sql`
    select from websites where id = ${websiteId} and ${isOwnWebsite(actor)}`);
  if (rows.length === 0) throw websiteNotFound(websiteId);
}

const scopeOf = ({ websiteId, environment, filter }: HitReportInput & { websiteId: number }): HitScope => ({
  websiteId,
  environment,
  ...(filter && { filter }),
});

/** The days of the report, and those to compare if all of them are retained. */
function rangesOf({ now, retentionDays, ...choice }: HitReportInput) {
  const { days, before } = hitPeriods(choice, now);
  return {
    range: rangeOf(days),
    before: before.startDate >= utcDay(now, -retentionDays) ? rangeOf(before) : undefined,
    days: daysOf(days),
    daysBefore: daysOf(before),
  };
}

type Turn = <T>(read: () => Promise<T>) => Promise<T>;

const atOnce: Turn = (read) => read();

/** Runs each read after the one before, so that a report that reads much takes one connection. */
function oneByOne(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (read) => {
    const next = last.then(read);
    last = next;
    return next;
  };
}

async function reportHits(db: Db, scope: HitScope, input: HitReportInput, turn = atOnce) {
  const { range, before, days, daysBefore } = rangesOf(input);
  const sourcesOf = (column: SourceColumn) =>
    turn(() => readSources(db, scope, range, { column, before, limit: input.limit }));
  const [summary, earlier, referrers, utmSources] = await Promise.all([
    turn(() => readHitSummary(db, scope, range)),
    before && turn(() => readHitSummary(db, scope, before)),
    scope.filter ? null : sourcesOf('referrers'),
    scope.filter ? null : sourcesOf('utm_sources'),
  ]);
  const previous = earlier && earlier.days.length > 0 ? earlier : null;
  return {
    ...totalsOf(summary, days, scope),
    /** of the whole scope; null for a part of its hits, which is not stored by country or source */
    origins: referrers && utmSources && { ...countriesOf(summary, previous, input.limit), referrers, utmSources },
    /** Null without requests, or if not all of its days are retained. */
    previous: previous && totalsOf(previous, daysBefore, scope),
  };
}

/** Most hits first, without unknown countries. */
function countriesOf(summary: HitSummary, previous: HitSummary | null, limit: number) {
  const known = summary.countries.reduce((sum, { hits }) => sum + hits, 0);
  const earlier = new Map(previous?.countries.map(({ country, hits }) => [country, hits]));
  return {
    countries: summary.countries
      .slice(0, limit)
      .map((each) => ({ ...each, previousHits: earlier.get(each.country) ?? 0 })),
    unknownCountryHits: Math.max(0, summary.hits - known),
  };
}

export const rangeOf = ({ startDate, endDate }: Period): DayRange => ({ from: startDate, to: endDate });

export type HitTotals = ReturnType<typeof totalsOf>;

/**
 * Hits are human GETs that matched a redirect; `botHits` are those of known bots, `assistantHits` of assistants. Numbers
 * that are not stored for the scope are null.
 */
function totalsOf(summary: HitSummary, days: string[], { groupId, filter }: HitScope) {
  const counted = new Map(summary.days.map(({ day, hits }) => [day, hits]));
  const ofWhole = <T>(value: T): T | null => (filter ? null : value);
  return {
    hits: summary.hits,
    uniqueVisitors: groupId === undefined ? ofWhole(summary.uniqueVisitors) : null,
    /** average response time of the service in microseconds, rounded; 0 without hits */
    averageMicros: ofWhole(summary.hits === 0 ? 0 : Math.round(summary.micros / summary.hits)),
    /** every day of the period, newest first */
    days: days.map((day) => ({ day, hits: counted.get(day) ?? 0 })),
    botHits: ofWhole(summary.botHits),
    assistantHits: ofWhole(summary.assistantHits),
    /** requests that no redirect matched; 0 for a redirect */
    notFound: groupId === undefined ? unmatchedOf(summary, filter) : null,
    agentRequests: agentRequestsOf(summary, filter),
  };
}

/** Requests by bots and assistants, or by one of them, with and without a redirect. */
function agentRequestsOf(summary: HitSummary, filter: HitFilter | undefined): number {
  const bots = summary.botHits + summary.unmatchedBots;
  const assistants = summary.assistantHits + summary.unmatchedAssistants;
  if (!filter?.agents) return bots + assistants;
  return filter.agents === 'bots' ? bots : assistants;
}

function unmatchedOf(summary: HitSummary, filter: HitFilter | undefined): number | null {
  if (!filter) return summary.unmatched;
  if (!filter.agents) return null;
  return filter.agents === 'bots' ? summary.unmatchedBots : summary.unmatchedAssistants;
}

async function oldPathsOf(db: Db, websiteId: number, ids: number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ id: number; oldPath: string }>(db)`
    select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`;
  return new Map(rows.map(({ id, oldPath }) => [id, oldPath]));
}
