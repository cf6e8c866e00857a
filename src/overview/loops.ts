/** Items of redirects that loop in the live rules: visitors get an error. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { DeploymentWarning } from '../db/schema/deployments.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';

/** Deployments of a website among which that of the live version is looked for, the newest first. */
const MAX_DEPLOYMENTS = 1_000;

interface Row {
  websiteId: number;
  environment: Environment;
  warnings: DeploymentWarning[];
  deployedAt: string;
}

/**
 * Reads the warnings of the deployment that made the version live, only if the version has loops or they are unknown.
 * Loops with a window are excluded: they may be over, or not have begun.
 */
export async function loopItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  const rows = await queryRows<Row>(db)`
    select e.website_id, e.environment, d.warnings, d.deployed_at
    from unnest(${sql.param(ids)}::int[]) i (id) join website_environments e on e.website_id = i.id
      cross join lateral (
        select n.warnings, n.deployed_at from (
          select environment, status, version, warnings, deployed_at from deployments
          where website_id = e.website_id order by created_at desc, id limit ${MAX_DEPLOYMENTS}::int) n
        where n.environment = e.environment and n.status = 'completed' and n.version = e.live_version limit 1) d
    where e.live_version > 0 and (e.loops is null or e.loops -> 'starts' <> '[]') and d.warnings <> '[]'`;
  const items = rows.flatMap(({ websiteId, environment, warnings, deployedAt }) => {
    const looping = warnings.filter(({ code, scheduled }) => code === 'REDIRECT_LOOP' && scheduled !== true);
    const paths = new Set(looping.flatMap(({ old_paths: oldPaths }) => oldPaths));
    const [subject] = paths;
    if (subject === undefined) return [];
    const countIsAtLeast = warnings.some(({ code }) => code === 'MORE_LOOPS' || code === 'LOOP_SEARCH_CUT_SHORT');
    const place = { websiteId, environment, count: paths.size, countIsAtLeast };
    return [{ ...place, subject, deployedAt }];
  });
  const since = await firstDeployments(db, items);
  return items.map(({ deployedAt, ...item }, at) =>
    itemOf({ ...item, kind: 'loops.live', since: new Date(since[at] ?? deployedAt) }),
  );
}

interface Loop {
  websiteId: number;
  environment: Environment;
  subject: string;
}

/** Returns of each loop when the first of the successive deployments that warn of its path was live, in order. */
async function firstDeployments(db: Queryable, loops: readonly Loop[]): Promise<(string | null)[]> {
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
