import { sql, type SQL } from 'drizzle-orm';
import { requirePlan } from '../../accounts/permissions.ts';
import { targetColumn } from '../../deployments/live/rules-sql.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { notHitSince } from './activity.ts';

/** Which redirects of the account are meant; every field narrows. An empty group means those without one. */
export interface RedirectFilter {
  websiteId?: number | undefined;
  group?: string | undefined;
  q?: string | undefined;
  environment?: Environment | undefined;
  statusCode?: number | undefined;
  isRegex?: boolean | undefined;
  /** last followed by a person before this moment, or never: in production, or in `environment` where it is given */
  lastHitBefore?: Date | undefined;
  createdBefore?: Date | undefined;
  /** only these; what is unknown or another account's is not among them */
  ids?: number[] | undefined;
}

/** The filter as a condition on `redirects r`, scoped to the account by construction. */
export function filterCondition(actor: Actor, filter: RedirectFilter): SQL {
  return sql`r.website_id = any(array(${websitesOf(actor, filter)})) and ${rowCondition(filter)}`;
}

/**
 * The ids of the websites that the filter reaches, as a subquery: the account's, or the one that it names if it is the account's. Every
 * reader of a filter begins here, so this is where a plan without analytics is refused what they tell (PLAN_REQUIRED).
 */
export function websitesOf(actor: Actor, { websiteId, lastHitBefore }: RedirectFilter): SQL {
  if (lastHitBefore !== undefined) requirePlan(actor, 'analytics');
  const named = websiteId === undefined ? sql`true` : sql`id = ${websiteId}`;
  return sql`select id from websites where account_id = ${actor.accountId} and deleting_since is null and ${named}`;
}

/**
 * What the filter says of a row of `redirects r` beside its website. A search is a scan of the website (0.5 s a million): a trigram
 * index would make the import of a million rows ten times as dear.
 */
export function rowCondition(filter: RedirectFilter): SQL {
  const conditions: SQL[] = [sql`true`];
  if (filter.group !== undefined) {
    conditions.push(filter.group === '' ? sql`r.group_id is null` : sql`r.group_id = ${filter.group}`);
  }
  if (filter.q !== undefined) {
    const pattern = `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`;
    conditions.push(sql`(r.old_path ilike ${pattern} or r.new_path ilike ${pattern})`);
  }
  if (filter.environment !== undefined) {
    conditions.push(sql`r.${sql.identifier(targetColumn(filter.environment))} is not null`);
  }
  if (filter.statusCode !== undefined) conditions.push(sql`r.status_code = ${filter.statusCode}`);
  if (filter.isRegex !== undefined) conditions.push(filter.isRegex ? sql`r.is_regex` : sql`not r.is_regex`);
  if (filter.createdBefore !== undefined)
    conditions.push(sql`r.created_at < ${filter.createdBefore.toISOString()}::timestamptz`);
  if (filter.ids !== undefined) conditions.push(sql`r.id = any(${sql.param(filter.ids)}::bigint[])`);
  if (filter.lastHitBefore !== undefined)
    conditions.push(notHitSince('r', filter.environment ?? 'production', filter.lastHitBefore));
  return sql.join(conditions, sql` and `);
}
