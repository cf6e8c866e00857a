/** How often redirects were followed, and when last: what tells whether one can be retired. By people, in one environment. */
import { DAY_MS } from '../../platform/clock.ts';
import { sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';

export interface HitWindow {
  environment: Environment;
  /** today (UTC) and the days before it, so many together */
  days: number;
  now: Date;
}

export interface Activity {
  /** null: never */
  lastHitAt: Date | null;
  /** in the window */
  hits: number;
}

/** The first day of the window. */
export function firstDay({ now, days }: HitWindow): string {
  return new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** That of each redirect, in the order given. */
export async function readActivity(
  db: Queryable,
  redirects: { websiteId: number; id: number }[],
  window: HitWindow,
): Promise<Activity[]> {
  if (redirects.length === 0) return [];
  const websiteIds = sql.param([...new Set(redirects.map(({ websiteId }) => websiteId))]);
  const ids = sql.param(redirects.map(({ id }) => id));
  const { rows } = await db.execute<{ id: number; last_hit_at: string | null; hits: number | null }>(sql`
    select redirect_id as id, last_hit_at, null::bigint as hits from redirect_activity
    where website_id = any(${websiteIds}::int[]) and redirect_id = any(${ids}::bigint[])
      and environment = ${window.environment}
    union all
    select h.redirect_id, null, sum(h.hits::float8)::bigint from redirect_hits h
    where h.website_id = any(${websiteIds}::int[]) and h.redirect_id = any(${ids}::bigint[]) and ${inWindow(window)}
    group by h.redirect_id`);
  const found = new Map<number, Activity>(redirects.map(({ id }) => [id, { lastHitAt: null, hits: 0 }]));
  for (const row of rows) {
    const activity = found.get(row.id);
    if (!activity) continue;
    if (row.last_hit_at !== null) activity.lastHitAt = new Date(row.last_hit_at);
    if (row.hits !== null) activity.hits = row.hits;
  }
  return redirects.map(({ id }) => found.get(id) ?? { lastHitAt: null, hits: 0 });
}

/** True for a row `redirect_hits h` of the window. */
export function inWindow(window: HitWindow): SQL {
  return sql`h.environment = ${window.environment} and h.day >= ${firstDay(window)}::date`;
}

/** True where the redirect of the row `of` (its alias) has not been followed since; never counts as long ago. */
export function notHitSince(of: 'r' | 'h', environment: Environment, time: Date): SQL {
  const id = of === 'r' ? sql`r.id` : sql`h.redirect_id`;
  return sql`not exists (
    select from redirect_activity a where a.website_id = ${sql.raw(of)}.website_id and a.redirect_id = ${id}
      and a.environment = ${environment} and a.last_hit_at >= ${time.toISOString()}::timestamptz)`;
}
