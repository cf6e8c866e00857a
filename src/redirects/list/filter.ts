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

/** Conditions on redirects of the account; all must hold. An empty group selects redirects without one. */
export interface RedirectFilter {
  websiteId?: number | undefined;
  /** only of websites where a limited person may write */
  isEditable?: boolean | undefined;
  group?: string | undefined;
  /** text or words in old_path or new_path, in any spelling (search.ts) */
  q?: string | undefined;
  /** text in the notes, ignoring case */
  notes?: string | undefined;
  /** exactly this target */
  newPath?: string | undefined;
  /** text in new_path, ignoring case; scans the website as `q` does */
  newPathContains?: string | undefined;
  environment?: Environment | undefined;
  statusCode?: number | undefined;
  isRegex?: boolean | undefined;
  /** last human hit before this time, or none; in `environment`, by default production */
  lastHitBefore?: Date | undefined;
  createdBefore?: Date | undefined;
  schedule?: ScheduleState | undefined;
  /** the window starts or ends from now on, and before this time */
  scheduleBefore?: Date | undefined;
  /** what a live check last found at the target that it has now */
  targetState?: TargetStateFilter | undefined;
  /** unknown ids and ids of other accounts are ignored */
  ids?: number[] | undefined;
}

/** Throws PLAN_REQUIRED if the filter reads activity and the plan has no analytics. */
export function assertFilterInPlan(actor: Actor, { lastHitBefore }: RedirectFilter): void {
  if (lastHitBefore !== undefined) requirePlan(actor, 'analytics');
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
  const { group, q, notes, environment, statusCode, isRegex, createdBefore, ids, lastHitBefore, schedule } = filter;
  const { targetState, newPath, newPathContains, scheduleBefore } = filter;
  const conditions: SQL[] = [sql`true`];
  if (group !== undefined) conditions.push(group === '' ? sql`r.group_id is null` : sql`r.group_id = ${group}`);
  if (q !== undefined) conditions.push(searchCondition(q));
  if (notes !== undefined) conditions.push(sql`r.notes ilike ${containing(notes)}`);
  if (newPath !== undefined) conditions.push(sql`r.new_path = ${newPath}`);
  if (newPathContains !== undefined) conditions.push(sql`r.new_path ilike ${containing(newPathContains)}`);
  if (environment !== undefined) {
    conditions.push(sql`r.${sql.identifier(targetColumn(environment))} is not null`);
  }
  if (statusCode !== undefined) conditions.push(sql`r.status_code = ${statusCode}`);
  if (isRegex !== undefined) conditions.push(isRegex ? sql`r.is_regex` : sql`not r.is_regex`);
  if (createdBefore !== undefined) {
    conditions.push(sql`r.created_at < ${createdBefore.toISOString()}::timestamptz`);
  }
  if (schedule !== undefined) conditions.push(IN_STATE[schedule]);
  if (scheduleBefore !== undefined) conditions.push(changesBefore(scheduleBefore));
  if (targetState !== undefined) conditions.push(hasTargetState(targetState));
  if (ids !== undefined) conditions.push(sql`r.id = any(${sql.param(ids)}::bigint[])`);
  if (lastHitBefore !== undefined) {
    conditions.push(notHitSince('r', environment ?? 'production', lastHitBefore));
  }
  return sql.join(conditions, sql` and `);
}
