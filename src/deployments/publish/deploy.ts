import type { PoolClient } from 'pg';
import type { Db, Tx } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentWarning } from '../../db/schema/deployments.ts';
import { type CheckGate, lockExpectations, unlockExpectations } from '../gate/gate.ts';
import { storeAllHold } from '../gate/results.ts';
import type { Gates } from '../gate/run-gates.ts';
import { NOTHING_LIVE } from '../live/live-registry.ts';
import { type Deployment, createdBy, deploymentEvent, sourceOf } from './deployment.ts';
import type { Candidate, Rulesets } from '../live/rulesets.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { stopwatch } from '../../platform/clock.ts';
import { publishEvents } from '../../events/outbox.ts';
import { storeSignal } from '../../events/signal.ts';
import { knownLoops, loopWarnings } from './loops.ts';
import { type ExtendTargeting, publishVersion } from './publish-version.ts';
import type { CountDeployment, DeploymentResult } from './deploy-metrics.ts';
import { dequeueDeployment } from './dequeue.ts';
import { endHoldOfFailed } from './queue.ts';
import { resolvePublication } from './resolve-publication.ts';

export interface DeployDeps {
  db: Db;
  rulesets: Rulesets;
  checkGate: CheckGate;
  extendTargeting: ExtendTargeting;
  /** called after each publication, to notify other processes */
  onPublished: (websiteId: number, environment: Environment) => void;
  /** called after each commit that may have stored an event */
  committed: () => void;
  /** for the metrics */
  countDeployment: CountDeployment;
  /** called with an error that does not fail the deployment */
  onError: (error: unknown) => void;
}

/**
 * Runs the next deployment of one environment: a running one that a crashed process left, or the first in the queue.
 * `client` holds the environment's lock. Returns false if the queue is empty. A deployment that fails by `on_loop` or
 * by the gate leaves the previous version live. If it throws, the caller retries; the last try stores the failure.
 */
export async function deployNext(
  deps: DeployDeps,
  client: PoolClient,
  { websiteId, environment }: { websiteId: number; environment: Environment },
  isLastTry: boolean,
): Promise<boolean> {
  const deployment = await dequeueDeployment(deps.db, websiteId, environment);
  if (!deployment) return false;
  deps.committed();
  const startedAt = stopwatch();
  let result: DeploymentResult = 'retried';
  try {
    result = (await deploy(deps, client, deployment)) ? 'completed' : 'failed';
  } catch (error) {
    if (!isLastTry) throw error;
    result = 'failed';
    await fail(deps.db, deployment, 'INTERNAL_ERROR: the service could not prepare this version; deploy again', []);
    throw error;
  } finally {
    deps.committed();
    deps.countDeployment(result, (stopwatch() - startedAt) / 1_000);
  }
  return true;
}

/** Returns whether the version was published. */
async function deploy(deps: DeployDeps, client: PoolClient, deployment: Deployment): Promise<boolean> {
  const { db, rulesets } = deps;
  const { websiteId, environment } = deployment;
  const publication = await resolvePublication(db, deployment);
  if (!publication) return false;
  if (!rulesets.live(websiteId, environment)) await rulesets.refreshSite(websiteId);
  // No other deployment of the environment changes them meanwhile.
  const known = await knownLoops(db, deployment);
  const candidate = await rulesets.prepare(websiteId, environment, { to: publication.to, known });
  let outcome = NOT_PUBLISHED;
  try {
    if (candidate) outcome = await publish(deps, client, deployment, candidate, publication.warnings);
  } finally {
    candidate?.release(outcome.isPublished);
  }
  if (outcome.isPublished) deps.onPublished(websiteId, environment);
  if (outcome.meetsExpectations) {
    // The version is live already. After an error the next run stores the results.
    await storeAllHold(db, websiteId, environment).catch(deps.onError);
    await unlockExpectations(client, websiteId);
  }
  return outcome.isPublished;
}

interface Outcome {
  isPublished: boolean;
  /** it was checked and published, and the expectations are still locked */
  meetsExpectations: boolean;
}

const NOT_PUBLISHED: Outcome = { isPublished: false, meetsExpectations: false };

/** Publishes the candidate if its loops and the gate allow it. */
async function publish(
  { db, rulesets, checkGate, extendTargeting }: DeployDeps,
  client: PoolClient,
  deployment: Deployment,
  candidate: Candidate,
  known: DeploymentWarning[],
): Promise<Outcome> {
  const { id: deploymentId, websiteId, environment } = deployment;
  const { ruleset } = candidate.prepared;
  const looping = await loopWarnings(db, websiteId, candidate.prepared);
  const warnings = [...known, ...looping];
  const { failsOnLoop, gates } = await readConditions(db, deployment);
  if (looping.length > 0 && failsOnLoop) {
    await fail(db, deployment, loopError(looping), warnings);
    return NOT_PUBLISHED;
  }
  if (gates.expectations) await lockExpectations(client, websiteId);
  if (gates.expectations || gates.urls) {
    const { ruleset: live } = rulesets.live(websiteId, environment)?.rules ?? NOTHING_LIVE;
    const result = await checkGate({ deploymentId, websiteId, environment, gates, ruleset, live });
    warnings.push(...result.warnings);
    if (result.errors.length > 0) {
      await fail(db, deployment, result.errors.join('; '), warnings);
      if (gates.expectations) await unlockExpectations(client, websiteId);
      return NOT_PUBLISHED;
    }
  }
  const isPublished = await publishVersion(db, deployment, candidate, warnings, extendTargeting);
  const meetsExpectations = isPublished && gates.expectations;
  if (gates.expectations && !meetsExpectations) await unlockExpectations(client, websiteId);
  return { isPublished, meetsExpectations };
}

function loopError([first]: DeploymentWarning[]): string {
  if (first?.code === 'LOOP_SEARCH_CUT_SHORT')
    return 'LOOP_SEARCH_CUT_SHORT: the search for loops reached its limit of 60 s; remove rules that redirect to themselves';
  const paths = first?.old_paths.join(' -> ');
  return `REDIRECT_LOOP: ${paths} ${first?.growing ? 'redirects to itself without end' : 'are a loop'}`;
}

/** The conditions under which the deployment completes. */
interface Conditions {
  failsOnLoop: boolean;
  gates: Gates;
}

async function readConditions(db: Db, { websiteId, environment, forced }: Deployment): Promise<Conditions> {
  const [row] = await queryRows<{ failsOnLoop: boolean } & Gates>(db)`
    select on_loop = 'fail' as fails_on_loop, ${environment} = any(gated_environments) and not ${forced} as expectations,
      ${environment} = any(url_gate) and not ${forced} as urls
    from websites where id = ${websiteId}`;
  const { failsOnLoop = false, expectations = false, urls = false } = row ?? {};
  return { failsOnLoop, gates: { expectations, urls } };
}

async function fail(db: Db, deployment: Deployment, error: string, warnings: DeploymentWarning[]): Promise<void> {
  await db.transaction(async (tx: Tx) => {
    const [ended] = await queryRows<{ now: string }>(tx)`
      with ended as (update website_environments set running = null
        where website_id = ${deployment.websiteId} and environment = ${deployment.environment} and running = ${deployment.id}
        returning 1)
      update deployments d set status = 'failed', error = ${error}, warnings = ${JSON.stringify(warnings)}::jsonb,
        added = 0, changed = 0, removed = 0
      from ended where d.id = ${deployment.id} returning clock_timestamp() as now`;
    if (!ended) return;
    const unchanged = { added: 0, changed: 0, removed: 0 };
    const failed = { ...deployment, ...unchanged, status: 'failed' as const, error, warnings };
    const actor = await createdBy(tx, deployment);
    await publishEvents(tx, actor, new Date(ended.now), [deploymentEvent('deployment.failed', failed)]);
    const { websiteId, environment, id: deploymentId } = deployment;
    const place = { accountId: actor.accountId, websiteId, environment, path: null };
    await storeSignal(tx, { ...place, kind: 'deployment.failed', data: { environment, deploymentId, error } });
    if (sourceOf(deployment)) await endHoldOfFailed(tx, actor, deployment);
  });
}
