import { and, desc, eq, type InferSelectModel, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { deployments, websites } from '../../db/schema.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { isPlan } from '../../vocabulary/plan.ts';
import type { NewEvent } from '../../events/outbox.ts';

export type Deployment = InferSelectModel<typeof deployments>;

/** The version that a rollback or promotion publishes; null for a deployment of the redirects as they are. */
export function sourceOf({
  sourceEnvironment,
  sourceVersion,
}: Deployment): { environment: Environment; version: number } | null {
  if (sourceEnvironment === null || sourceVersion === null) return null;
  return { environment: sourceEnvironment, version: sourceVersion };
}

const ofAccount = (actor: Actor) =>
  and(eq(websites.accountId, actor.accountId), isNull(websites.deletingSince));

/** The account's deployment; DEPLOYMENT_NOT_FOUND where it is another's or none. */
export async function requireDeployment(db: Queryable, actor: Actor, id: string): Promise<Deployment> {
  const [found] = await db
    .select({ deployment: deployments })
    .from(deployments)
    .innerJoin(websites, eq(websites.id, deployments.websiteId))
    .where(and(eq(deployments.id, id), ofAccount(actor)));
  if (found) return found.deployment;
  throw new DomainError('DEPLOYMENT_NOT_FOUND', 'Deployment not found', {
    details: `id: there is no deployment ${id}`,
  });
}

/** Deployments that a listing without a limit answers. */
export const DEFAULT_LIMIT = 100;

/** The newest deployments, of one website or of all, of one environment or of all. */
export async function listDeployments(
  db: Queryable,
  actor: Actor,
  filter: {
    websiteId?: number | undefined;
    environment?: Environment | undefined;
    limit?: number | undefined;
  },
): Promise<Deployment[]> {
  const rows = await db
    .select({ deployment: deployments })
    .from(deployments)
    .innerJoin(websites, eq(websites.id, deployments.websiteId))
    .where(
      and(
        ofAccount(actor),
        filter.websiteId === undefined ? undefined : eq(deployments.websiteId, filter.websiteId),
        filter.environment === undefined ? undefined : eq(deployments.environment, filter.environment),
      ),
    )
    .orderBy(desc(deployments.createdAt), desc(deployments.id))
    .limit(filter.limit ?? DEFAULT_LIMIT);
  return rows.map((row) => row.deployment);
}

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
