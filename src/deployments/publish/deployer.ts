/**
 * Publishes what is queued. Every process runs one; an advisory lock on each environment says who has the deployment, so that one that
 * died with its process is taken up again by another (or by this one after a restart).
 */
import { LOCKS } from '../../db/advisory-lock.ts';
import { sql } from 'drizzle-orm';
import type { PoolClient } from 'pg';
import { type Db, withClient } from '../../db/client.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import type { Rulesets } from '../live/rulesets.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { deployNext } from './deploy.ts';

/** How often a process looks by itself; its own changes poke it at once. */
const POLL_MS = 1_000;
/** Environments that one process deploys at a time: a large one must not hold up a small one. */
const CONCURRENCY = 3;
/** Tries before a deployment that keeps failing for no fault of its own is given up. */
const MAX_TRIES = 5;

export interface DeployerDeps {
  db: Db;
  rulesets: Rulesets;
  /** called after each publication, with what other processes are told */
  onPublished: (websiteId: number, environment: Environment) => void;
  /** called after each commit that may have stored an event */
  committed: () => void;
  onError: (error: unknown) => void;
}

interface Due {
  websiteId: number;
  environment: Environment;
}

/** The loop that deploys: start, stop (waits for what is under way), poke after each commit that queued something. */
export function createDeployer(deps: DeployerDeps): Loop {
  const busy = new Map<string, Promise<void>>();
  const tries = new Map<string, number>();

  function start(due: Due): void {
    const key = `${due.websiteId} ${due.environment}`;
    const tried = (tries.get(key) ?? 0) + 1;
    const attempt = deployLocked(deps, due, tried >= MAX_TRIES)
      .then((more) => {
        tries.delete(key);
        if (more) loop.wake();
      })
      .catch((error: unknown) => {
        // After the last one the next deployment has all its tries again.
        tries.set(key, tried % MAX_TRIES);
        deps.onError(error);
      })
      .finally(() => {
        busy.delete(key);
        if (busy.size === CONCURRENCY - 1) loop.wake();
      });
    busy.set(key, attempt);
  }

  async function tick(): Promise<void> {
    for (const due of await readDue(deps.db)) {
      if (busy.size >= CONCURRENCY) return;
      if (!busy.has(`${due.websiteId} ${due.environment}`)) start(due);
    }
  }

  const loop = createLoop(tick, POLL_MS, deps.onError);
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await Promise.allSettled(busy.values());
    },
  };
}

async function readDue(db: Db): Promise<Due[]> {
  const { rows } = await db.execute<{ website_id: number; environment: Environment }>(sql`
    select we.website_id, we.environment from website_environments we join websites w on w.id = we.website_id
    where (we.queued is not null or we.running is not null) and w.deleting_since is null
    order by random() limit 100`);
  return rows.map((row) => ({ websiteId: row.website_id, environment: row.environment }));
}

/** True where it deployed, so that there may be more; false where another process has the environment. */
async function deployLocked(deps: DeployerDeps, due: Due, isLastTry: boolean): Promise<boolean> {
  return withClient(deps.db, async (client) => {
    const key = environmentLock(due);
    if (!(await tryLock(client, key))) return false;
    const deployed = await deployNext(deps, due, isLastTry);
    await client.query('select pg_advisory_unlock($1, $2)', [LOCKS.deployment, key]);
    return deployed;
  });
}

/**
 * Lock key of an environment. Folded into the 32-bit integer that PostgreSQL takes: websites whose ids differ by 2^30 share a lock, so
 * their deployments run one after the other.
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
