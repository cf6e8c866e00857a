/** Human hits of redirects, and the time of the last one: they show which redirects can be retired. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Environment } from '../../vocabulary/environment.ts';

export interface HitWindow {
  environment: Environment;
  /** number of UTC days up to today */
  days: number;
  now: Date;
  /** also the hits of each day */
  byDay?: boolean | undefined;
}

export interface Activity {
  /** null: never hit */
  lastHitAt: Date | null;
  /** hits in the window */
  hits: number;
  /** of each day of the window, today last; present only with `byDay` */
  dailyHits?: number[];
}

/** Reads the activity of each redirect, in the given order. */
export async function readActivity(db: Queryable, redirects: { websiteId: number; id: number }[], window: HitWindow) {
  if (redirects.length === 0) return [];
  const websiteIds = sql.param([...new Set(redirects.map(({ websiteId }) => websiteId))]);
  const ids = sql.param(redirects.map(({ id }) => id));
  const byDay = window.byDay ? sql`json_agg(json_build_array(h.day, h.hits))` : sql`null::json`;
  const rows = await queryRows<StoredActivity>(db)`
      select redirect_id as id, last_hit_at, null::bigint as hits, null::json as by_day from redirect_activity
      where website_id = any(${websiteIds}::int[]) and redirect_id = any(${ids}::bigint[])
        and environment = ${window.environment}
      union all
      select h.redirect_id, null, sum(h.hits::float8)::bigint, ${byDay} from redirect_hits h
      where h.website_id = any(${websiteIds}::int[]) and h.redirect_id = any(${ids}::bigint[]) and ${inWindow(window)}
      group by h.redirect_id`;
  const found = new Map<number, Activity>();
  const none = (): Activity => ({ lastHitAt: null, hits: 0, ...(window.byDay && { dailyHits: eachDay([], window) }) });
  for (const { id, lastHitAt, hits, byDay: days } of rows) {
    const activity = found.get(id) ?? none();
    if (days !== null) activity.dailyHits = eachDay(days, window);
    if (lastHitAt !== null) activity.lastHitAt = new Date(lastHitAt);
    if (hits !== null) activity.hits = hits;
    found.set(id, activity);
  }
  return redirects.map(({ id }) => found.get(id) ?? none());
}

interface StoredActivity {
  id: number;
  lastHitAt: string | null;
  hits: number | null;
  byDay: [day: string, hits: number][] | null;
}

function eachDay(stored: [day: string, hits: number][], { now, days }: HitWindow): number[] {
  const hits = new Map(stored);
  return Array.from({ length: days }, (_, at) => hits.get(utcDay(now, at + 1 - days)) ?? 0);
}

/** Condition: the row `redirect_hits h` is in the environment and the days of the window. */
export function inWindow(window: HitWindow): SQL {
  return sql`h.environment = ${window.environment} and ${inDays(window)}`;
}

/** Condition: `h.day` is in the window. */
export function inDays({ now, days }: Pick<HitWindow, 'now' | 'days'>): SQL {
  return sql`h.day >= ${utcDay(now, 1 - days)}::date`;
}

/** Condition: the redirect of the row with this alias has no hit since `time`, or none at all. */
export function notHitSince(alias: 'r' | 'h', environment: Environment, time: Date): SQL {
  const id = alias === 'r' ? sql`r.id` : sql`h.redirect_id`;
  return sql`not exists (
    select from redirect_activity a where a.website_id = ${sql.raw(alias)}.website_id and a.redirect_id = ${id}
      and a.environment = ${environment} and a.last_hit_at >= ${time.toISOString()}::timestamptz)`;
}
