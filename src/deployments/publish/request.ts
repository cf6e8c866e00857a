import type { Db, Tx } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { readCurrentPointer } from '../live/database/live.ts';
import { assertRemovals, type MaxRemovals } from './max-removals.ts';
import { type DeploymentOptions, type DeploymentSource, queueDeployments } from './queue.ts';
import type { Targeting } from '../../db/schema/deployments.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireEditableRow } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { type Deployment, requireDeployment } from './deployment.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { sourceRules } from './resolve-publication.ts';
import { requireVersion } from './versions/version-choice.ts';

interface RequestOptions {
  maxRemovals?: MaxRemovals | undefined;
  /** why it is deployed */
  note?: string | null | undefined;
  /** publishes even if expectations of the environment are not met */
  forced?: boolean | undefined;
}

/**
 * Requests a deployment of the rules that are current when it starts. Returns the queued deployment if one exists
 * already, because it publishes the same; with a note or forced it is always a new one. Throws TOO_MANY_REMOVALS, and
 * ENVIRONMENT_HELD if a rollback or promotion holds the environment and `resume` is false.
 */
export async function createDeployment(
  db: Db,
  actor: Actor,
  input: { websiteId: number; environment: Environment; resume?: boolean | undefined } & RequestOptions,
): Promise<Deployment> {
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, input.websiteId);
    const { websiteId, environment, maxRemovals, note, forced, resume = true } = input;
    if (!resume) await assertNotHeld(tx, websiteId, environment);
    const to = maxRemovals && (await readCurrentPointer(tx, websiteId, environment));
    if (to) await assertRemovals(tx, input, to, maxRemovals);
    return queueOne(tx, actor, websiteId, environment, 'explicit', { note, forced });
  });
}

/** Locks the environment's row, so that no rollback begins meanwhile. */
async function assertNotHeld(tx: Tx, websiteId: number, environment: Environment): Promise<void> {
  const [row] = await queryRows<{ held: boolean }>(tx)`
    select held from website_environments where website_id = ${websiteId} and environment = ${environment} for update`;
  if (!row?.held) return;
  throw new DomainError('ENVIRONMENT_HELD', 'A rollback or promotion holds the environment', {
    details: `resume: automatic deployments to ${environment} are stopped since a rollback or promotion; to publish the current redirects and resume them, send resume=true`,
  });
}

async function queueOne(
  tx: Tx,
  actor: Actor,
  websiteId: number,
  environment: Environment,
  kind: 'explicit' | 'rollback' | 'promote',
  options: DeploymentOptions,
): Promise<Deployment> {
  const [queued] = await queueDeployments(tx, actor, websiteId, [environment], kind, options);
  if (!queued) throw new Error(`a deployment of the kind ${kind} is always queued`);
  return requireDeployment(tx, actor, queued.id);
}

/**
 * Requests the rules that are live in `from` now as the next version of `to`. With `targeting: "extend"` their redirects
 * get the environment `to` when it is published. Holds `to` until the deployment fails, or makes both equal. Throws INVALID_PARAMETER if both are the same, or if nothing was ever deployed in `from`,
 * because that would empty `to`, and TOO_MANY_REMOVALS.
 */
export async function promote(
  db: Db,
  actor: Actor,
  { websiteId, from, to, targeting = 'keep', maxRemovals, note, forced }: PromotionInput,
): Promise<Deployment> {
  if (from === to) throw invalid('to', `is already ${from}; name another environment`);
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    const source = { environment: from, version: await liveVersion(tx, websiteId, from) };
    if (source.version === 0) throw invalid('from', `nothing is deployed in ${from} yet; deploy it first`);
    await assertSourceRemovals(tx, { websiteId, environment: to, maxRemovals }, source);
    return queueOne(tx, actor, websiteId, to, 'promote', { source, targeting, note, forced });
  });
}

interface PromotionInput extends RequestOptions {
  websiteId: number;
  from: Environment;
  to: Environment;
  targeting?: Targeting | undefined;
}

async function assertSourceRemovals(
  tx: Tx,
  target: { websiteId: number; environment: Environment; maxRemovals: MaxRemovals | undefined },
  source: DeploymentSource,
): Promise<void> {
  const publication = target.maxRemovals && (await sourceRules(tx, target.websiteId, source));
  if (publication && target.maxRemovals) await assertRemovals(tx, target, publication.to, target.maxRemovals);
}

async function liveVersion(tx: Tx, websiteId: number, environment: Environment): Promise<number> {
  const [row] = await queryRows<{ liveVersion: number }>(
    tx,
  )`select live_version from website_environments where website_id = ${websiteId} and environment = ${environment}`;
  return row?.liveVersion ?? 0;
}

interface RollbackInput extends RequestOptions {
  websiteId: number;
  environment: Environment;
  version: number;
}

/**
 * Requests the rules of an earlier version, or of the live one, as the next version. Redirects do not change. Holds the
 * environment, until the deployment fails. Deployments that are queued already run first. Throws VERSION_NOT_FOUND if
 * the environment has no such version, VERSION_EXPIRED if it is no longer retained, and TOO_MANY_REMOVALS.
 */
export async function rollBack(db: Db, actor: Actor, input: RollbackInput): Promise<Deployment> {
  const { websiteId, environment, version, maxRemovals, note, forced } = input;
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    await requireVersion(tx, websiteId, environment, { version });
    const source = { environment, version };
    await assertSourceRemovals(tx, { websiteId, environment, maxRemovals }, source);
    return queueOne(tx, actor, websiteId, environment, 'rollback', { source, note, forced });
  });
}
