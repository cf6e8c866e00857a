/** Items of redirects that loop in the live rules: visitors get an error. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { findLiveLoops, type LiveLoop, MAX_DEPLOYMENTS } from '../notices/watch/live-rules.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';

/** Loops in the live rules. */
export async function loopItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  const items = await findLiveLoops(db, ids);
  const since = await firstDeployments(db, items);
  return items.map(({ deployedAt, ...item }, at) =>
    itemOf({ ...item, kind: 'loops.live', since: new Date(since[at] ?? deployedAt) }),
  );
}

/** Returns of each loop when the first of the successive deployments that warn of its path was live, in order. */
async function firstDeployments(db: Queryable, loops: readonly LiveLoop[]): Promise<(string | null)[]> {
  if (loops.length === 0) return [];
  const warnings = loops.map(({ subject }) => JSON.stringify([{ code: 'REDIRECT_LOOP', old_paths: [subject] }]));
  const rows = await queryRows<{ since: string | null }>(db)`
    select d.since
    from unnest(${sql.param(loops.map(({ websiteId }) => websiteId))}::int[],
        ${sql.param(loops.map(({ environment }) => environment))}::text[], ${sql.param(warnings)}::text[])
        with ordinality l (website_id, environment, warning, at)
      cross join lateral (
        select min(n.deployed_at) filter (where n.others = 0) as since from (
          select r.deployed_at, count(*) filter (where not r.warnings @> l.warning::jsonb)
            over (order by r.deployed_at desc, r.version desc) as others
          from (
            select environment, status, version, warnings, deployed_at from deployments
            where website_id = l.website_id order by created_at desc, id limit ${MAX_DEPLOYMENTS}::int) r
          where r.environment = l.environment and r.status = 'completed') n) d
    order by l.at`;
  return rows.map(({ since }) => since);
}
