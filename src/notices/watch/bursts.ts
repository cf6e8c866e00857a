import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { SLOTS } from '../../hits/store/write-hours.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Raised } from '../raise.ts';

/** Hits by people within an hour that are a burst, and how often the median hour. */
const MIN_HITS = 50;
const TIMES_MEDIAN = 5;
const HOURS = 168;
const HOUR_MS = 3_600_000;
const SLOT_MS = HOUR_MS / SLOTS;
/** Longer than the time between two looks: a burst that goes on is reported once. */
const HELD_MS = 300_000;
/** Hours with fewer hits cannot raise a median above MIN_HITS / TIMES_MEDIAN, and are not kept. */
const KEPT_HITS = MIN_HITS / TIMES_MEDIAN;

interface Row {
  accountId: number;
  websiteId: number;
  environment: Environment;
  path: string;
  hits: number;
  median: number | null;
}

/**
 * Returns bursts of unmatched requests by people: at least 50 within the last 60 minutes, in steps of 5, and five times
 * the median hour of the last 7 days. An hour without a row has no hits. Paths that an editor ignores, and those of
 * scanners, count only to the website.
 */
export async function findBursts(db: Queryable, now: Date): Promise<Raised[]> {
  const time = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const hour = sql`${new Date(time).toISOString()}::timestamptz`;
  const slot = Math.floor((now.getTime() - time) / SLOT_MS) + 1;
  const rows = await queryRows<Row>(db)`
    with recent as (
      select website_id, environment, path, sum(case when hour = ${hour} then hits
        else (select coalesce(sum(n), 0) from unnest(slots[${slot}::int + 1:${SLOTS}::int]) n) end)::int as hits
      from not_found_hours where hour >= ${hour} - interval '1 hour'
      group by website_id, environment, path
    ), known as (
      select r.*, (select percentile_cont(0.5) within group (order by coalesce(h.hits, 0))
        from generate_series(${hour} - ${HOURS} * interval '1 hour', ${hour} - interval '1 hour', interval '1 hour') t
          left join not_found_hours h on h.website_id = r.website_id and h.environment = r.environment
            and h.path = r.path and h.hour = t) as median
      from recent r where r.hits >= ${MIN_HITS})
    select s.account_id, k.website_id, k.environment, k.path, k.hits, nullif(round(k.median), 0)::int as median
    from known k join websites s on s.id = k.website_id
      left join not_found f on f.website_id = k.website_id and f.environment = k.environment and f.path = k.path
    where k.hits >= ${TIMES_MEDIAN} * k.median and s.deleting_since is null
      and (k.path = '' or f.path is null or (f.ignored_at is null and not f.noise))
    order by k.path <> '', k.hits desc`;
  const heldUntil = new Date(now.getTime() + HELD_MS);
  return rows.map(({ accountId, websiteId, environment, path: key, hits, median }) => {
    const path = key === '' ? null : key;
    const data = { environment, path, hits, median };
    return { ...{ accountId, websiteId, environment, path, heldUntil, data }, kind: 'not_found.burst' };
  });
}

/** Deletes hours that no look needs. */
export async function purgeHours(db: Queryable, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await db.execute(sql`
    delete from not_found_hours where hour < ${at} - ${HOURS + 1} * interval '1 hour'
      or (hour < ${at} - interval '3 hours' and hits < ${KEPT_HITS})`);
}
