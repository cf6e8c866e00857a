/** Items of redirects that loop in the live rules: visitors get an error. */
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
  return rows.flatMap(({ websiteId, environment, warnings, deployedAt }) => {
    const looping = warnings.filter(({ code, scheduled }) => code === 'REDIRECT_LOOP' && scheduled !== true);
    const paths = new Set(looping.flatMap(({ old_paths: oldPaths }) => oldPaths));
    const [subject] = paths;
    if (subject === undefined) return [];
    const countIsAtLeast = warnings.some(({ code }) => code === 'MORE_LOOPS' || code === 'LOOP_SEARCH_CUT_SHORT');
    const place = { websiteId, environment, count: paths.size, countIsAtLeast };
    return [itemOf({ ...place, kind: 'loops.live', subject, since: new Date(deployedAt) })];
  });
}
