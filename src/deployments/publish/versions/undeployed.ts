/** The state of each environment of a website: how many changes are not live, on hold, deploying, failed. */
import type { Db, Queryable } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import { type BoundedCache, createBoundedCache } from '../../../platform/bounded-cache.ts';
import { stopwatch } from '../../../platform/clock.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import { historySql } from '../../live/database/history.ts';
import { readCurrentPointer } from '../../live/database/live.ts';
import { differenceSql, IS_DIFFERENT, isLiveOnly, type RulesPointer } from '../../live/database/rules-sql.ts';
import { JOIN_LAST_FAILED } from './last-failed.ts';
import { noRules } from './version-choice.ts';

export interface EnvironmentState {
  environment: Environment;
  /** 0 before the first deployment */
  liveVersion: number;
  redirectCount: number;
  /** entries of the difference between the live rules and the current redirects */
  waiting: number;
  /** of those: live rules of another environment's version, which the next deployment removes */
  liveOnly: number;
  held: boolean;
  isDeploying: boolean;
  /** the last deployment that ended, if it failed */
  failed: { id: string; error: string } | null;
}

/** Counts of one process. A count is valid for one live version and one revision of the website. */
export type UndeployedCounts = BoundedCache<{ key: string; counts: Counts; until: number }>;

const MAX_COUNTS = 3_000;
export const createUndeployedCounts = (): UndeployedCounts => createBoundedCache(MAX_COUNTS);

/** A count that took longer than this stays valid for PAUSE times as long while the live version stays. */
const EXPENSIVE_MS = 100;
const PAUSE = 50;

/**
 * Returns the states of the environments. Costs one small query unless something changed since the last call. Counting
 * costs the difference, so an expensive count is repeated only in 2 % of the time. Throws WEBSITE_NOT_FOUND.
 */
export async function readEnvironmentStates(
  db: Db,
  actor: Actor,
  websiteId: number,
  counts: UndeployedCounts,
): Promise<EnvironmentState[]> {
  return db.transaction(
    async (tx) => {
      const { autoDeploy, headRev, history } = await requireWebsiteRow(tx, actor, websiteId);
      const states: EnvironmentState[] = [];
      for (const row of await readRows(tx, websiteId)) {
        // Every change has queued a deployment, and the last one has ended.
        const isCurrent = autoDeploy && !row.held && !row.isDeploying && row.failedId === null;
        const waiting = isCurrent
          ? NOTHING
          : await countWaiting(tx, websiteId, row, `${headRev} ${history?.[0]}`, counts);
        states.push(stateOf(row, waiting));
      }
      return states;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

type Counts = Pick<EnvironmentState, 'waiting' | 'liveOnly'>;
const NOTHING: Counts = { waiting: 0, liveOnly: 0 };

interface Row extends RulesPointer {
  environment: Environment;
  liveVersion: number;
  history: string | null;
  redirectCount: number;
  held: boolean;
  isDeploying: boolean;
  failedId: string | null;
  error: string | null;
}

function readRows(tx: Queryable, websiteId: number): Promise<Row[]> {
  return queryRows<Row>(tx)`
    select we.environment, we.live_version, we.rules_env, we.rules_rev, we.rules_max_id, we.target_hosts,
      we.redirect_count, ${historySql} as history, we.held, we.queued is not null or we.running is not null as is_deploying,
      last.id as failed_id, last.error
    from website_environments we
    left join versions v on v.website_id = we.website_id and v.environment = we.environment and v.version = we.live_version
    ${JOIN_LAST_FAILED}
    where we.website_id = ${websiteId}::int
    order by array_position(${sql.param([...ENVIRONMENTS])}::text[], we.environment)`;
}

async function countWaiting(
  tx: Queryable,
  websiteId: number,
  live: Row,
  draftId: string,
  counts: UndeployedCounts,
): Promise<Counts> {
  const name = `${websiteId} ${live.environment}`;
  const version = `${live.liveVersion} ${live.history} ${live.rulesEnv} ${live.rulesRev}`;
  const key = `${version} ${draftId}`;
  const known = counts.get(name);
  const start = stopwatch();
  if (known?.key === key || (known?.key.startsWith(`${version} `) && start < known.until)) return known.counts;
  const draft = await readCurrentPointer(tx, websiteId, live.environment);
  if (!draft) return NOTHING;
  const from = live.liveVersion > 0 ? live : noRules(live.environment);
  const [row] = await queryRows<Counts>(tx)`
    ${sql.raw(differenceSql(websiteId, from, draft))}
    select count(*)::int as waiting, count(*) filter (where ${sql.raw(isLiveOnly(live.environment, from, draft))})::int as live_only from b full join a on b.id = a.id where ${sql.raw(IS_DIFFERENT)}`;
  const counted = row ?? NOTHING;
  const ms = stopwatch() - start;
  counts.set(name, { key, counts: counted, until: ms > EXPENSIVE_MS ? stopwatch() + ms * PAUSE : 0 });
  return counted;
}

function stateOf({ environment, liveVersion, redirectCount, held, isDeploying, ...row }: Row, counts: Counts) {
  const failed = row.failedId === null ? null : { id: row.failedId, error: row.error ?? '' };
  return { environment, liveVersion, redirectCount, ...counts, held, isDeploying, failed };
}
