import { sql } from 'drizzle-orm';
import type { Queryable, Tx } from '../../db/client.ts';
import type { DeploymentKind } from '../../db/schema.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';

export interface QueuedDeployment {
  environment: Environment;
  id: string;
}

/** The version that a rollback or promotion publishes. */
export interface DeploymentSource {
  environment: Environment;
  version: number;
}

/**
 * Asks, in the caller's transaction, for a deployment of these environments. They run in the order in which they were asked for. An
 * automatic or explicit one joins the last that waits where that is of these kinds too: it will publish this change as well. One with
 * a `source` joins none and is joined by none. Automatic ones leave held environments alone, so the answer may name fewer than were
 * asked; explicit ones release the environment, those with a source hold it, from this transaction on. All this is told from the
 * environment's own row, so that calls at the same time see each other.
 */
export async function queueDeployments(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  environments: Environment[],
  kind: DeploymentKind,
  source?: DeploymentSource,
): Promise<QueuedDeployment[]> {
  if (environments.length === 0) return [];
  const asked = JSON.stringify(environments.map((environment) => ({ environment, id: newId('dep_') })));
  const { rows } = await tx.execute<{ environment: Environment; id: string }>(sql`
    with asked as (select * from jsonb_to_recordset(${asked}::jsonb) as a(environment text, id text)),
    queued as (
      update website_environments we set
        queued = coalesce(we.queued, asked.id),
        queued_after = case when we.queued is null or (we.queue_joinable and ${!source}) then we.queued_after
          else we.queued_after || asked.id end,
        queue_joinable = ${!source},
        held = case when ${kind} = 'explicit' then false else we.held or ${source !== undefined} end
      from asked
      where we.website_id = ${websiteId} and we.environment = asked.environment and (not we.held or ${kind} <> 'automatic')
      returning we.environment, coalesce(we.queued_after[cardinality(we.queued_after)], we.queued) as id, asked.id as asked_id),
    created as (
      insert into deployments (id, website_id, environment, kind, status, source_environment, source_version,
        actor_type, actor_id, actor_name, created_at)
      select id, ${websiteId}::int, environment, ${kind}, 'queued', ${source?.environment ?? null}::text,
        ${source?.version ?? null}::int, ${actor.type}, ${actor.id}, ${actor.name}, clock_timestamp()
      from queued where id = asked_id)
    select environment, id from queued`);
  return rows;
}

/** The automatic deployments that a committed change sets off: none where the website deploys only by call. */
export async function queueAutomaticDeployments(
  tx: Queryable,
  actor: Actor,
  website: { id: number; autoDeploy: boolean },
  environments: Environment[],
): Promise<QueuedDeployment[]> {
  return website.autoDeploy ? queueDeployments(tx, actor, website.id, environments, 'automatic') : [];
}

/**
 * Deploys what gathered while a website did not deploy by itself: each environment whose live rules are older than the working
 * state, but for held ones. For when auto_deploy is switched on.
 */
export async function queueUndeployed(tx: Tx, actor: Actor, websiteId: number): Promise<QueuedDeployment[]> {
  const { rows } = await tx.execute<{ environment: Environment }>(sql`
      select we.environment from website_environments we join websites w on w.id = we.website_id
      where w.id = ${websiteId} and w.account_id = ${actor.accountId} and w.auto_deploy and we.rules_rev < w.head_rev
        and exists (select 1 from redirects r where r.website_id = w.id and r.rev > we.rules_rev
          union all select 1 from redirect_revisions v where v.website_id = w.id and v.rev_to > we.rules_rev)`);
  return queueDeployments(
    tx,
    actor,
    websiteId,
    rows.map((row) => row.environment),
    'automatic',
  );
}
