/** Unmatched paths that people request, of production. */
import { servedPaths } from '../analytics/not-found.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { DAY_MS, utcDay } from '../platform/clock.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';

/** Days whose requests count, and hits by people in them from which they are worth it. */
const DAYS = 7;
const MIN_HITS = 10;
/** Paths that are read, over all websites, and of one. A website stores 10,000 beside those that are ignored. */
const READ_ROWS = 5_000;
const MIN_ROWS = 100;

const environment = 'production';

interface Row {
  websiteId: number;
  /** most hits first, in JSON: rows would cost this thread ten times as much */
  paths: [path: string, hits: number, firstSeenAt: string][];
  read: number;
}

/**
 * Paths that people requested within 7 days, if the website had 10 such requests then, and the paths had 10 in all.
 * Paths that the live rules answer by now are left out.
 */
export async function pathItems({ db, ids, now, live }: OverviewScope): Promise<OverviewItem[]> {
  const first = utcDay(now, 1 - DAYS);
  const worth = await queryRows<{ id: number }>(db)`
    select i.id from unnest(${sql.param(ids)}::int[]) i (id) cross join lateral (
      select sum(unmatched) as hits from website_hits
      where website_id = i.id and environment = ${environment} and day >= ${first}::date) h
    where h.hits >= ${MIN_HITS}`;
  if (worth.length === 0) return [];
  const limit = Math.max(MIN_ROWS, Math.floor(READ_ROWS / worth.length));
  const since = new Date(now.getTime() - DAYS * DAY_MS).toISOString();
  const rows = await queryRows<Row>(db)`
    select i.id as website_id, n.* from unnest(${sql.param(worth.map(({ id }) => id))}::int[]) i (id) cross join lateral (
      select count(*)::int as read, coalesce(
        json_agg(json_build_array(path, hits, first_seen_at) order by hits desc, path) filter (
          where last_seen_at >= ${since}::timestamptz and hits > 0 and ignored_at is null and not noise), '[]') as paths
      from (
        select path, hits, first_seen_at, last_seen_at, ignored_at, noise from not_found
        where website_id = i.id and environment = ${environment} limit ${limit}::int) f) n`;
  const slice = createTimeSlice();
  const items: OverviewItem[] = [];
  for (const { websiteId, paths, read } of rows) {
    const site = live(websiteId, environment);
    const isServed = site ? servedPaths(site, now) : () => false;
    const missing: Row['paths'] = [];
    for (const each of paths) {
      if (slice.isOver()) await slice.yield();
      if (!isServed(each[0])) missing.push(each);
    }
    const [top] = missing;
    const hits = missing.reduce((sum, [, each]) => sum + each, 0);
    if (!top || hits < MIN_HITS) continue;
    const place = { websiteId, environment, subject: top[0], since: new Date(top[2]) } as const;
    const countIsAtLeast = read === limit;
    items.push(itemOf({ ...place, kind: 'not_found.paths', count: missing.length, countIsAtLeast, hits }));
  }
  return items;
}
