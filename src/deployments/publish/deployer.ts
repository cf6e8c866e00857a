/**
 * The entry to `publish/`: runs queued deployments. Every process runs a deployer. An advisory lock on each environment
 * allows one deployment at a time, so after a crash another process continues (or this one, after its restart).
 */
import type { PoolClient } from 'pg';
import type { Registry } from 'prom-client';
import { LOCKS } from '../../db/advisory-lock.ts';
import { type Db, withClient } from '../../db/connection/client.ts';
import { isDatabaseUnavailable } from '../../db/errors.ts';
import { mainPoolShares } from '../../db/connection/pool-sizes.ts';
import { queryRows } from '../../db/rows.ts';
import { createLoop, type Loop } from '../../platform/scheduling/loop.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { createDeployMetrics } from './deploy-metrics.ts';
import { type DeployDeps, deployNext } from './deploy.ts';

/** Poll interval, which bounds the takeover after a crash. A change in this process wakes the deployer at once. */
const POLL_MS = 250;
/** Tries before a deployment that throws counts as failed. */
const MAX_TRIES = 5;

export interface DeployerDeps extends Omit<DeployDeps, 'countDeployment'> {
  metrics: Registry;
}

interface Due {
  accountId: number;
  websiteId: number;
  environment: Environment;
}

/**
 * Creates the deployer, not yet started. Wake it after each commit that queued a deployment; `stop` waits for those in
 * progress.
 */
export function createDeployer(deps: DeployerDeps): Loop {
  const countDeployment = createDeployMetrics(deps.metrics, deps.db);
  // Several, so that a large deployment does not delay a small one.
  const { deployments: concurrency } = mainPoolShares(deps.db.$client.options.max);
  // One stays free, so that slow deployments of one account do not delay others.
  const perAccount = Math.max(1, concurrency - 1);
  const busy = new Map<string, { accountId: number; attempt: Promise<void> }>();
  const tries = new Map<string, number>();
  /** the last tick left some: no place, of all or of the account, or one of the environment is in progress */
  let isOneWaiting = false;

  function start(due: Due): void {
    const key = `${due.websiteId} ${due.environment}`;
    const tried = (tries.get(key) ?? 0) + 1;
    const attempt = deployLocked({ ...deps, countDeployment }, due, tried >= MAX_TRIES)
      .then((more) => {
        tries.delete(key);
        if (more) loop.wake();
      })
      .catch((error: unknown) => {
        // 0 after the last try: the next deployment starts over. An outage of the database is no try.
        if (!isDatabaseUnavailable(error)) tries.set(key, tried % MAX_TRIES);
        deps.onError(error);
      })
      .finally(() => {
        busy.delete(key);
        // Not always: while another process holds the lock, the two would ask for it without a pause.
        if (isOneWaiting) loop.wake();
      });
    busy.set(key, { accountId: due.accountId, attempt });
  }

  async function tick(): Promise<void> {
    const found = await readDue(deps.db);
    isOneWaiting = false;
    for (const due of found) {
      const ofAccount = [...busy.values()].filter(({ accountId }) => accountId === due.accountId);
      const hasPlace = busy.size < concurrency && ofAccount.length < perAccount;
      if (hasPlace && !busy.has(`${due.websiteId} ${due.environment}`)) start(due);
      else isOneWaiting = true;
    }
  }

  const loop = createLoop({ name: 'starting deployments', tick, everyMs: POLL_MS, onError: deps.onError });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await Promise.allSettled([...busy.values()].map(({ attempt }) => attempt));
    },
  };
}

/** In random order, but of each account some before more of another. */
async function readDue(db: Db): Promise<Due[]> {
  return queryRows<Due>(db)`
    select account_id, website_id, environment from (
      select w.account_id, we.website_id, we.environment,
        row_number() over (partition by w.account_id order by random()) as place
      from website_environments we join websites w on w.id = we.website_id
      where (we.queued is not null or we.running is not null) and w.deleting_since is null) due
    order by place, random() limit 100`;
}

/**
 * Returns true after a deployment: there may be another. Returns false if the queue is empty or another process holds
 * the lock.
 */
async function deployLocked(deps: DeployDeps, due: Due, isLastTry: boolean): Promise<boolean> {
  return withClient(deps.db, async (client) => {
    const key = environmentLock(due);
    if (!(await tryLock(client, key))) return false;
    const deployed = await deployNext(deps, client, due, isLastTry);
    await client.query('select pg_advisory_unlock($1, $2)', [LOCKS.deployment, key]);
    return deployed;
  });
}

/**
 * Lock key of an environment. PostgreSQL takes a 32-bit integer, so websites whose ids differ by 2^30 share a lock and
 * deploy one after the other.
 */
function environmentLock({ websiteId, environment }: Due): number {
  return (websiteId * 4 + ENVIRONMENTS.indexOf(environment)) | 0;
}

async function tryLock(client: PoolClient, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    LOCKS.deployment,
    key,
  ]);
  return rows[0]?.locked ?? false;
}
