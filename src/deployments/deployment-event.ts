import { sql } from '../db/drizzle.ts';
import type { Queryable } from '../db/client.ts';
import { isoSeconds } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { isPlan } from '../vocabulary/plan.ts';
import type { NewEvent } from '../webhooks/outbox.ts';
import type { Deployment } from './deployment.ts';

/** deployment.started, .completed or .failed, as interface.md section 10 words its data. */
export function deploymentEvent(
  event: 'deployment.started' | 'deployment.completed' | 'deployment.failed',
  deployment: Deployment,
): NewEvent {
  return {
    event,
    websiteId: deployment.websiteId,
    data: {
      deployment: {
        website_id: String(deployment.websiteId),
        environment: deployment.environment,
        redirect_count: deployment.redirectCount,
        deployed_at: deployment.deployedAt && isoSeconds(deployment.deployedAt),
        deployment_id: deployment.id,
        version: deployment.version,
        started_at: deployment.startedAt && isoSeconds(deployment.startedAt),
        error: deployment.error,
      },
    },
  };
}

/** Who set the deployment off: its events are theirs, though a loop publishes them. */
export async function createdBy(db: Queryable, deployment: Deployment): Promise<Actor> {
  const { rows } = await db.execute<{ account_id: number; plan: string }>(sql`
    select w.account_id, a.plan from websites w join accounts a on a.id = w.account_id where w.id = ${deployment.websiteId}`);
  const owner = rows[0];
  if (!owner || !isPlan(owner.plan)) throw new Error(`deployment ${deployment.id} has no account`);
  const { actorType, actorId, actorName } = deployment;
  return {
    accountId: owner.account_id,
    plan: owner.plan,
    type: actorType === 'user' || actorType === 'key' ? actorType : 'system',
    id: actorId,
    name: actorName,
    role: null,
    scope: null,
  };
}
