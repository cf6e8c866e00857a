import type { Db, Tx } from '../../db/client.ts';
import { queueDeployments } from './queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireWebsite } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { type Deployment, requireDeployment } from './deployment.ts';
import { sql } from 'drizzle-orm';
import { invalid, DomainError } from '../../vocabulary/error.ts';
import { isRetained, KEPT_DAYS, KEPT_VERSIONS } from './version-retention.ts';

/**
 * Asks for a deployment of what the website's redirects are when it starts. Where one is queued already, that one is answered: it
 * will publish the same.
 */
export async function createDeployment(
  db: Db,
  actor: Actor,
  input: { websiteId: number; environment: Environment },
): Promise<Deployment> {
  return writeTransaction(db, actor, async (tx) => {
    await requireWebsite(tx, actor, input.websiteId);
    const [queued] = await queueDeployments(tx, actor, input.websiteId, [input.environment], 'explicit');
    if (!queued) throw new Error('an explicit deployment is always queued');
    return requireDeployment(tx, actor, queued.id);
  });
}

interface PromoteInput {
  websiteId: number;
  from: Environment;
  to: Environment;
}

/**
 * Asks for the rules that are live in `from` at this moment as the next version of `to`; the redirects and their targets stay as they
 * are. Holds `to` from now on, whatever becomes of the deployment. 422 where both are the same, or where nothing was ever deployed in
 * `from`: that would only empty `to`, which is hardly meant.
 */
export async function promote(
  db: Db,
  actor: Actor,
  { websiteId, from, to }: PromoteInput,
): Promise<Deployment> {
  if (from === to) throw invalid('to', `is ${from} already; name another environment`);
  return writeTransaction(db, actor, async (tx) => {
    await requireWebsite(tx, actor, websiteId);
    const source = { environment: from, version: await liveVersion(tx, websiteId, from) };
    if (source.version === 0) throw invalid('from', `nothing is deployed in ${from} yet; deploy it first`);
    const [queued] = await queueDeployments(tx, actor, websiteId, [to], 'promote', source);
    if (!queued) throw new Error('a promotion is always queued');
    return requireDeployment(tx, actor, queued.id);
  });
}

async function liveVersion(tx: Tx, websiteId: number, environment: Environment): Promise<number> {
  const { rows } = await tx.execute<{ live_version: number }>(sql`
    select live_version from website_environments where website_id = ${websiteId} and environment = ${environment}`);
  return rows[0]?.live_version ?? 0;
}

interface RollbackInput {
  websiteId: number;
  environment: Environment;
  version: number;
}

/**
 * Asks for the rules of an earlier version (the live one included) as the next version; the redirects stay as they are. Holds the
 * environment from now on, whatever becomes of the deployment. What was asked for before runs before. VERSION_NOT_FOUND for a number
 * that the environment has not reached, VERSION_EXPIRED for one that is no longer kept.
 */
export async function rollBack(db: Db, actor: Actor, input: RollbackInput): Promise<Deployment> {
  const { websiteId, environment, version } = input;
  return writeTransaction(db, actor, async (tx) => {
    await requireWebsite(tx, actor, websiteId);
    await requireVersion(tx, input);
    const source = { environment, version };
    const [queued] = await queueDeployments(tx, actor, websiteId, [environment], 'rollback', source);
    if (!queued) throw new Error('a rollback is always queued');
    return requireDeployment(tx, actor, queued.id);
  });
}

async function requireVersion(tx: Tx, { websiteId, environment, version }: RollbackInput): Promise<void> {
  const { rows } = await tx.execute<{ live_version: number; kept: boolean }>(sql`
    select we.live_version, exists (select 1 from versions v where v.website_id = we.website_id
      and v.environment = we.environment and v.version = ${version}::bigint and ${isRetained}) as kept
    from website_environments we where we.website_id = ${websiteId} and we.environment = ${environment}`);
  const { live_version: live = 0, kept = false } = rows[0] ?? {};
  if (version < 1 || version > live) {
    const range = live === 0 ? 'nothing was deployed there yet' : `it has the versions 1 to ${live}`;
    throw new DomainError('VERSION_NOT_FOUND', 'Version not found', {
      details: `version: there is no version ${version} of ${environment}; ${range}`,
    });
  }
  if (kept) return;
  throw new DomainError('VERSION_EXPIRED', 'The version is too old to go back to', {
    details: `version: the last ${KEPT_VERSIONS} versions and those of ${KEPT_DAYS} days are kept; ${version} is older than both`,
  });
}
