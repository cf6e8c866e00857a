/** Loops and failing expectations of the live rules: states that a notice reports once, until they are over. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentWarning } from '../../db/schema/deployments.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { NoticeKind } from '../../vocabulary/notices.ts';
import type { Raised } from '../raise.ts';

/** Longer than the time between two looks: a state that goes on is reported once. */
const HELD_MS = 300_000;
/** Deployments of a website among which that of the live version is looked for, the newest first. */
export const MAX_DEPLOYMENTS = 1_000;
/** Failing expectations of an environment that a notice counts. */
const MAX_FAILING = 1_000;

export interface LiveLoop {
  websiteId: number;
  environment: Environment;
  /** redirects in loops, and the path of the first one */
  count: number;
  countIsAtLeast: boolean;
  subject: string;
  deployedAt: string;
}

/**
 * Finds the environments of websites whose live rules loop. Reads the warnings of the deployment that made the version
 * live, only if the version has loops or they are unknown. Loops with a window are excluded: they may be over, or not
 * have begun.
 */
export async function findLiveLoops(db: Queryable, ids: number[]): Promise<LiveLoop[]> {
  type Row = Pick<LiveLoop, 'websiteId' | 'environment' | 'deployedAt'> & { warnings: DeploymentWarning[] };
  const rows = await queryRows<Row>(db)`
    select e.website_id, e.environment, d.warnings, d.deployed_at
    from unnest(${sql.param(ids)}::int[]) i (id) join website_environments e on e.website_id = i.id
      cross join lateral (
        select n.warnings, n.deployed_at from (
          select environment, status, version, warnings, deployed_at from deployments
          where website_id = e.website_id order by created_at desc, id limit ${MAX_DEPLOYMENTS}::int) n
        where n.environment = e.environment and n.status = 'completed' and n.version = e.live_version limit 1) d
    where e.live_version > 0 and (e.loops is null or e.loops -> 'starts' <> '[]') and d.warnings <> '[]'`;
  return rows.flatMap(({ warnings, ...place }) => {
    const looping = warnings.filter(({ code, scheduled }) => code === 'REDIRECT_LOOP' && scheduled !== true);
    const paths = new Set(looping.flatMap(({ old_paths: oldPaths }) => oldPaths));
    const [subject] = paths;
    if (subject === undefined) return [];
    const countIsAtLeast = warnings.some(({ code }) => code === 'MORE_LOOPS' || code === 'LOOP_SEARCH_CUT_SHORT');
    return [{ ...place, count: paths.size, countIsAtLeast, subject }];
  });
}

export interface FailingExpectations {
  websiteId: number;
  environment: Environment;
  /** at most the limit */
  count: number;
  /** the first one, and since when one of them fails */
  url: string;
  at: string;
}

/** Finds the expectations of websites that failed in the last run against the live rules, up to `limit` of a place. */
export const findFailingExpectations = (db: Queryable, ids: number[], limit: number) =>
  queryRows<FailingExpectations>(db)`
    select i.id as website_id, n.environment, f.count, f.url, f.at
    from unnest(${sql.param(ids)}::int[]) i (id)
      cross join unnest(${sql.param(ENVIRONMENTS)}::text[]) n (environment)
      cross join lateral (
        select count(*)::int as count, (array_agg(e.url))[1] as url, min(e.result_since) as at from (
          select url, result_since from expectations
          where website_id = i.id and environment = n.environment and not holds order by key limit ${limit}::int) e) f
    where f.count > 0`;

/** Returns the loops in the live rules of accounts with such a notice. */
export const liveLoops = (db: Queryable, now: Date): Promise<Raised[]> =>
  statesOf(db, now, 'loops.live', async (ids) =>
    (await findLiveLoops(db, ids)).map(({ websiteId, environment, count, countIsAtLeast, subject: path }) => ({
      websiteId,
      data: { environment, redirects: count, isAtLeast: countIsAtLeast, path },
    })),
  );

/** Returns the failing expectations of accounts with such a notice. */
export const failingExpectations = (db: Queryable, now: Date): Promise<Raised[]> =>
  statesOf(db, now, 'expectations.failing', async (ids) =>
    (await findFailingExpectations(db, ids, MAX_FAILING)).map(({ websiteId, environment, count, url }) => ({
      websiteId,
      data: { environment, failing: count, isAtLeast: count === MAX_FAILING, url },
    })),
  );

type State = { websiteId: number; data: { environment: Environment } };

async function statesOf(
  db: Queryable,
  now: Date,
  kind: NoticeKind,
  find: (ids: number[]) => Promise<State[]>,
): Promise<Raised[]> {
  const websites = await queryRows<{ id: number; accountId: number }>(db)`
    select id, account_id from websites where deleting_since is null
      and account_id in (select account_id from notices where kinds @> array[${kind}])`;
  if (websites.length === 0) return [];
  const accounts = new Map(websites.map(({ id, accountId }) => [id, accountId]));
  const heldUntil = new Date(now.getTime() + HELD_MS);
  return (await find([...accounts.keys()])).flatMap(({ websiteId, data }) => {
    const accountId = accounts.get(websiteId);
    if (accountId === undefined) return [];
    return [{ accountId, websiteId, environment: data.environment, path: null, kind, data, heldUntil }];
  });
}
