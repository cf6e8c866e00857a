import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import type { DeploymentKind } from '../db/schema.ts';
import { newId } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';

export interface QueuedDeployment {
  environment: Environment;
  id: string;
}

/**
 * Asks, in the caller's transaction, for a deployment of these environments. One that waits already is taken: it will
 * publish this change too. Automatic ones leave held environments alone, so the answer may name fewer than were asked.
 */
export async function queueDeployments(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  environments: Environment[],
  kind: DeploymentKind,
): Promise<QueuedDeployment[]> {
  if (environments.length === 0) return [];
  const asked = JSON.stringify(environments.map((environment) => ({ environment, id: newId('dep_') })));
  const { rows } = await tx.execute<{ environment: Environment; id: string }>(sql`
    with asked as (select * from jsonb_to_recordset(${asked}::jsonb) as a(environment text, id text)),
    queued as (
      update website_environments we set queued = coalesce(we.queued, asked.id) from asked
      where we.website_id = ${websiteId} and we.environment = asked.environment and (not we.held or ${kind} <> 'automatic')
      returning we.environment, we.queued as id, we.queued = asked.id as is_new),
    created as (
      insert into deployments (id, website_id, environment, kind, status, actor_type, actor_id, actor_name, created_at)
      select id, ${websiteId}::int, environment, ${kind}, 'queued', ${actor.type}, ${actor.id}, ${actor.name}, clock_timestamp()
      from queued where is_new)
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
