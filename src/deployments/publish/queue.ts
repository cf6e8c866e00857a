import { isOwnWebsite } from '../../accounts/website-scope.ts';
import type { Queryable, Tx } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentKind, Targeting } from '../../db/schema/deployments.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';

export interface QueuedDeployment {
  environment: Environment;
  id: string;
}

/** The parts of a request for a deployment that are stored with it. */
export interface DeploymentOptions {
  source?: DeploymentSource | undefined;
  /** of a promotion */
  targeting?: Targeting | undefined;
  note?: string | null | undefined;
  /** publishes without a check of the expectations */
  forced?: boolean | undefined;
}

/** The version that a rollback or promotion publishes. */
export interface DeploymentSource {
  environment: Environment;
  version: number;
}

/**
 * Queues a deployment of each environment, in the caller's transaction. Deployments run in queue order.
 * - An automatic or explicit deployment joins the last queued one of these kinds, which publishes this change too.
 * - A deployment with a `source` is always separate, and holds the environment until it fails.
 * - A deployment with a `note` is separate too, so that its note and its actor stay together.
 * - A forced one is separate, and no later one joins it, so that no other change skips the check.
 * - An explicit deployment releases a held environment. An automatic one skips it, so the result may name fewer environments.
 *
 * All state is in the environment's row, so concurrent calls see each other.
 */
export async function queueDeployments(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  environments: Environment[],
  kind: DeploymentKind,
  { source, targeting, note = null, forced = false }: DeploymentOptions = {},
): Promise<QueuedDeployment[]> {
  if (environments.length === 0) return [];
  const isSeparate = source !== undefined || note !== null || forced;
  const requested = JSON.stringify(environments.map((environment) => ({ environment, id: newId('dep_') })));
  return queryRows<QueuedDeployment>(tx)`
    with asked as (select * from jsonb_to_recordset(${requested}::jsonb) as a(environment text, id text)),
    queued as (
      update website_environments we set
        queued = coalesce(we.queued, asked.id),
        queued_after = case when we.queued is null or (we.queue_joinable and ${!isSeparate}) then we.queued_after
          else we.queued_after || asked.id end,
        queue_joinable = ${!source && !forced},
        held = case when ${kind} = 'explicit' then false else we.held or ${source !== undefined} end
      from asked
      where we.website_id = ${websiteId} and we.environment = asked.environment and (not we.held or ${kind} <> 'automatic')
      returning we.environment, coalesce(we.queued_after[cardinality(we.queued_after)], we.queued) as id, asked.id as asked_id),
    created as (
      insert into deployments (id, website_id, environment, kind, status, source_environment, source_version, targeting, note,
        forced, actor_type, actor_id, actor_name, created_at)
      select id, ${websiteId}::int, environment, ${kind}, 'queued', ${source?.environment ?? null}::text,
        ${source?.version ?? null}::int, ${targeting ?? null}::text, ${note}::text, ${forced}, ${actor.type}, ${actor.id}, ${actor.name}, clock_timestamp()
      from queued where id = asked_id)
    select environment, id from queued`;
}

export interface AutomaticDeployments {
  deployments: QueuedDeployment[];
  /** environments where a change is not deployed, because a rollback or promotion holds them */
  held: Environment[];
}

/** Queues the automatic deployments of a change; none if the website has auto_deploy off. */
export async function queueAutomaticDeployments(
  tx: Queryable,
  actor: Actor,
  website: { id: number; autoDeploy: boolean },
  environments: readonly Environment[],
): Promise<AutomaticDeployments> {
  if (!website.autoDeploy) return { deployments: [], held: [] };
  const asked = ENVIRONMENTS.filter((environment) => environments.includes(environment));
  const deployments = await queueDeployments(tx, actor, website.id, asked, 'automatic');
  return { deployments, held: asked.filter((name) => !deployments.some(({ environment }) => environment === name)) };
}

/**
 * Queues a deployment of each of the environments that has undeployed changes and is not held, if auto_deploy is on.
 * Call it when auto_deploy is turned on.
 */
export async function queueUndeployed(
  tx: Tx,
  actor: Actor,
  websiteId: number,
  environments: readonly Environment[] = ENVIRONMENTS,
): Promise<QueuedDeployment[]> {
  const rows = await queryRows<{ environment: Environment }>(tx)`
      select we.environment from website_environments we join websites w on w.id = we.website_id
      where w.id = ${websiteId} and ${isOwnWebsite(actor, 'w')} and w.auto_deploy and we.rules_rev < w.head_rev
        and exists (select 1 from redirects r where r.website_id = w.id and r.rev > we.rules_rev
          union all select 1 from redirect_revisions v where v.website_id = w.id and v.rev_to > we.rules_rev and v.rev_from < v.rev_to)`;
  const changed = rows.map((row) => row.environment).filter((environment) => environments.includes(environment));
  return queueDeployments(tx, actor, websiteId, changed, 'automatic');
}

/**
 * Ends the hold that a rollback or promotion began and that its failure leaves without a reason: an environment is held
 * after a rollback or promotion that no explicit deployment followed. Deploys the changes that were made meanwhile.
 */
export async function endHoldOfFailed(
  tx: Tx,
  actor: Actor,
  { websiteId, environment, createdAt }: { websiteId: number; environment: Environment; createdAt: Date },
): Promise<void> {
  const [at] = await queryRows<{ held: boolean; changed: boolean | null }>(tx)`
    update website_environments set held = coalesce((
      select d.source_version is not null from deployments d
      where d.website_id = ${websiteId} and d.environment = ${environment} and d.kind <> 'automatic'
        and (d.status <> 'failed' or d.source_version is null)
      order by d.created_at desc, d.id desc limit 1), false)
    where website_id = ${websiteId} and environment = ${environment}
    returning held, (select c.created_at >= ${createdAt.toISOString()}::timestamptz from changes c
      where c.website_id = ${websiteId} order by c.revision desc limit 1) as changed`;
  if (at?.changed && !at.held) await queueUndeployed(tx, actor, websiteId, [environment]);
}
