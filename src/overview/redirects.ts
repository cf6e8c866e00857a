/** Items of redirects: broken targets, windows that open or close, and moves and hosts of websites. */
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { brokenOfWebsites } from '../health/broken-targets.ts';
import { isSoon, isWindowLive } from '../notices/watch/ends-soon.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';

/** Rows that are counted of each kind, over all websites. One with more has a count that is at least that. */
const COUNTED_ROWS = 2_000;
const MAX_ROWS = 1_000;
const MIN_ROWS = 20;

/** The rows that may be counted of each of so many websites or environments. */
export const rowsOfEach = (places: number): number =>
  Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(COUNTED_ROWS / Math.max(places, 1))));

export async function brokenTargetItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  const limit = rowsOfEach(ids.length);
  const found = await brokenOfWebsites(db, ids, limit);
  return found.map(({ websiteId, environments, read, count, redirectId, path }) => {
    const place = { websiteId, environments, subject: path, subjectId: String(redirectId) };
    return itemOf({ ...place, kind: 'targets.broken', count, countIsAtLeast: read === limit });
  });
}

/**
 * Redirects whose window begins or ends within 7 days in the live rules of an environment, the next one first. A window
 * that is only in undeployed changes has no effect. `column` has a partial index.
 */
async function windowItems(
  { db, ids, now }: OverviewScope,
  kind: 'redirect.starts_soon' | 'redirect.ends_soon',
): Promise<OverviewItem[]> {
  const column = kind === 'redirect.starts_soon' ? 'active_from' : 'active_until';
  const at = sql.raw(`r.${column}`);
  const limit = rowsOfEach(ids.length);
  const rows = await queryRows<{
    websiteId: number;
    count: number;
    read: number;
    id: number;
    path: string;
    at: string;
  }>(db)`
    select i.id as website_id, r.count, r.read, r.id, r.path, r.at
    from unnest(${sql.param(ids)}::int[]) i (id) cross join lateral (
      select count(*)::int as count, max(r.read)::int as read, (array_agg(r.id order by ${at}))[1] as id,
        (array_agg(r.old_path order by ${at}))[1] as path, min(${at}) as at
      from (
        select r.*, count(*) over () as read from (
          select * from redirects r where r.website_id = i.id and ${isSoon(column, now)} order by ${at} limit ${limit}::int) r) r
      where ${isWindowLive(column)}) r
    where r.count > 0`;
  return rows.map(({ websiteId, count, read, id, path, at: since }) => {
    const first = { subject: path, subjectId: String(id), since: new Date(since) };
    return itemOf({ kind, websiteId, count, countIsAtLeast: read === limit, ...first });
  });
}

export const startsSoonItems = (scope: OverviewScope) => windowItems(scope, 'redirect.starts_soon');
export const endsSoonItems = (scope: OverviewScope) => windowItems(scope, 'redirect.ends_soon');

/** Moves that were not applied, with their undecided rows: none if only the apply is left. */
export async function moveItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  type Row = { websiteId: number; id: string; name: string; count: number; createdAt: string };
  const rows = await queryRows<Row>(db)`
    select website_id, id, name, rows - decided as count, created_at from moves
    where website_id = any(${sql.param(ids)}::int[]) and applied_at is null and rows > 0
    order by created_at, id`;
  return rows.map(({ id, name, createdAt, ...move }) =>
    itemOf({ ...move, kind: 'move.open', subject: name, subjectId: id, since: new Date(createdAt) }),
  );
}

export async function hostItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  type Row = { websiteId: number; environment: Environment; count: number; subject: string };
  const rows = await queryRows<Row>(db)`
    select website_id, environment, count(*)::int as count, (array_agg(hostname order by position))[1] as subject
    from website_hosts where website_id = any(${sql.param(ids)}::int[]) and not verified
    group by website_id, environment`;
  return rows.map((row) => itemOf({ ...row, kind: 'host.unverified' }));
}
