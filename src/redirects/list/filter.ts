import { requirePlan } from '../../accounts/permissions.ts';
import { isEditableWebsite, isOwnWebsite } from '../../accounts/website-scope.ts';
import { containing, sql, type SQL } from '../../db/drizzle.ts';
import { targetColumn } from '../../deployments/live/database/rules-sql.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { notHitSince } from './activity.ts';
import { searchCondition } from './search.ts';
import { hasTargetState, type TargetStateFilter } from './target-state.ts';

/**
 * States of a window now. `active` redirects have a window that has begun and not ended; `any` have a window, `none` have
 * none.
 */
export const SCHEDULE_STATES = ['upcoming', 'active', 'expired', 'any', 'none'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

const HAS_WINDOW = sql`num_nonnulls(r.active_from, r.active_until) > 0`;
const IN_STATE: Record<ScheduleState, SQL> = {
  upcoming: sql`r.active_from > now()`,
  active: sql`(${HAS_WINDOW} and coalesce(r.active_from <= now(), true) and coalesce(r.active_until > now(), true))`,
  expired: sql`r.active_until <= now()`,
  any: HAS_WINDOW,
  none: sql`not ${HAS_WINDOW}`,
};

const changesBefore = (time: Date): SQL => {
  const isNear = (bound: SQL): SQL => sql`(${bound} >= now() and ${bound} < ${time.toISOString()}::timestamptz)`;
  return sql`(${isNear(sql`r.active_from`)} or ${isNear(sql`r.active_until`)})`;
};

/** Conditions on redirects of the account; all must hold. */
export interface RedirectFilter {
  websiteId?: number | undefined;
  /** only of websites where a limited person may write */
  isEditable?: boolean | undefined;
  /** one of these groups; an empty one stands for redirects without a group */
  group?: string[] | undefined;
  /** text or words in old_path or new_path, in any spelling (search.ts) */
  q?: string | undefined;
  /** text in the notes, ignoring case */
  notes?: string | undefined;
  /** exactly this target */
  newPath?: string | undefined;
  /** text in new_path, ignoring case; scans the website as `q` does */
  newPathContains?: string | undefined;
  /** as newPathContains, in old_path */
  oldPathContains?: string | undefined;
  environment?: Environment | undefined;
  /** one of these */
  statusCode?: number[] | undefined;
  isRegex?: boolean | undefined;
  /** last human hit before this time, or none; in `environment`, by default production */
  lastHitBefore?: Date | undefined;
  /** last human hit since this time */
  lastHitSince?: Date | undefined;
  createdBefore?: Date | undefined;
  createdSince?: Date | undefined;
  updatedSince?: Date | undefined;
  schedule?: ScheduleState | undefined;
  /** the window starts or ends from now on, and before this time */
  scheduleBefore?: Date | undefined;
  /** what a live check last found at the target that it has now */
  targetState?: TargetStateFilter | undefined;
  /** unknown ids and ids of other accounts are ignored */
  ids?: number[] | undefined;
  /** only redirects that none of these filters selects */
  not?: RedirectFilter[] | undefined;
}

/** Throws PLAN_REQUIRED if the filter reads activity and the plan has no analytics. */
export function assertFilterInPlan(actor: Actor, { lastHitBefore, lastHitSince }: RedirectFilter): void {
  if ((lastHitBefore ?? lastHitSince) !== undefined) requirePlan(actor, 'analytics');
}

/** The filter as a condition on `redirects r`, which always restricts it to the account. */
export function filterCondition(actor: Actor, filter: RedirectFilter): SQL {
  return sql`r.website_id = any(array(${websitesInScope(actor, filter)})) and ${rowCondition(filter)}`;
}

/** A subquery for the ids of the actor's websites, or of the given one if it is the actor's. */
export function websitesInScope(actor: Actor, { websiteId, isEditable }: RedirectFilter): SQL {
  const isGiven = websiteId === undefined ? sql`true` : sql`id = ${websiteId}`;
  return sql`select id from websites where ${isEditable ? isEditableWebsite(actor) : isOwnWebsite(actor)} and ${isGiven}`;
}

/** The filter as a condition on `redirects r`, the website excepted. */
export function rowCondition(filter: RedirectFilter): SQL {
  const { q, environment, statusCode, isRegex, ids, schedule, targetState, newPath } = filter;
  const conditions: SQL[] = [sql`true`];
  if (filter.group !== undefined) conditions.push(isInGroup(filter.group));
  if (q !== undefined) conditions.push(searchCondition(q));
  for (const [column, text] of [
    [sql`r.notes`, filter.notes],
    [sql`r.old_path`, filter.oldPathContains],
    [sql`r.new_path`, filter.newPathContains],
  ] as const) {
    if (text !== undefined) conditions.push(sql`${column} ilike ${containing(text)}`);
  }
  if (newPath !== undefined) conditions.push(sql`r.new_path = ${newPath}`);
  if (environment !== undefined) {
    conditions.push(sql`r.${sql.identifier(targetColumn(environment))} is not null`);
  }
  if (statusCode !== undefined) conditions.push(sql`r.status_code = any(${sql.param(statusCode)}::smallint[])`);
  if (isRegex !== undefined) conditions.push(isRegex ? sql`r.is_regex` : sql`not r.is_regex`);
  for (const [comparison, time] of [
    [sql`r.created_at <`, filter.createdBefore],
    [sql`r.created_at >=`, filter.createdSince],
    [sql`r.updated_at >=`, filter.updatedSince],
  ] as const) {
    if (time !== undefined) conditions.push(sql`${comparison} ${time.toISOString()}::timestamptz`);
  }
  if (schedule !== undefined) conditions.push(IN_STATE[schedule]);
  if (filter.scheduleBefore !== undefined) conditions.push(changesBefore(filter.scheduleBefore));
  if (targetState !== undefined) conditions.push(hasTargetState(targetState));
  if (ids !== undefined) conditions.push(sql`r.id = any(${sql.param(ids)}::bigint[])`);
  const notHit = (since: Date): SQL => notHitSince('r', environment ?? 'production', since);
  if (filter.lastHitBefore !== undefined) conditions.push(notHit(filter.lastHitBefore));
  if (filter.lastHitSince !== undefined) conditions.push(sql`not ${notHit(filter.lastHitSince)}`);
  // A condition on a null, such as the target of a 410, is null: the filter does not select it.
  for (const each of filter.not ?? []) conditions.push(sql`(${rowCondition(each)}) is not true`);
  return sql.join(conditions, sql` and `);
}

function isInGroup(groups: string[]): SQL {
  const named = groups.filter((group) => group !== '');
  const isNamed = sql`r.group_id = any(${sql.param(named)}::text[])`;
  if (named.length === groups.length) return isNamed;
  return named.length === 0 ? sql`r.group_id is null` : sql`(r.group_id is null or ${isNamed})`;
}
