import { isOwnWebsite, type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { and, desc, eq, gte, type InferSelectModel, lt } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { deployments, type DeploymentWarning } from '../../db/schema/deployments.ts';
import { websites } from '../../db/schema/websites.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { isPlan } from '../../vocabulary/plan.ts';
import type { NewEvent } from '../../events/outbox.ts';

export type Deployment = InferSelectModel<typeof deployments>;

/** The version that a rollback or promotion publishes; null for a deployment of the current rules. */
export function sourceOf({
  sourceEnvironment,
  sourceVersion,
}: Deployment): { environment: Environment; version: number } | null {
  if (sourceEnvironment === null || sourceVersion === null) return null;
  return { environment: sourceEnvironment, version: sourceVersion };
}

/** The difference from the previous version; null until the deployment has ended. */
export function changesOf({ added, changed, removed }: Deployment) {
  return added === null || changed === null || removed === null ? null : { added, changed, removed };
}

/** Returns the account's deployment. Throws DEPLOYMENT_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireDeployment(db: Queryable, actor: Actor, id: string): Promise<Deployment> {
  const [found] = await db
    .select({ deployment: deployments })
    .from(deployments)
    .innerJoin(websites, eq(websites.id, deployments.websiteId))
    .where(and(eq(deployments.id, id), isOwnWebsite(actor)));
  if (found) return found.deployment;
  throw new DomainError('DEPLOYMENT_NOT_FOUND', 'Deployment not found', {
    details: `id: there is no deployment ${id}`,
  });
}

/** Deployments in a list without a limit. */
export const DEFAULT_LIMIT = 100;

/** Lists the newest deployments, optionally of one website, one environment or a time. */
export async function listDeployments(
  db: Queryable,
  actor: Actor,
  filter: {
    websiteId?: number | undefined;
    environment?: Environment | undefined;
    createdSince?: Date | undefined;
    createdBefore?: Date | undefined;
    limit?: number | undefined;
  },
): Promise<Deployment[]> {
  const rows = await db
    .select({ deployment: deployments })
    .from(deployments)
    .innerJoin(websites, eq(websites.id, deployments.websiteId))
    .where(
      and(
        isOwnWebsite(actor),
        filter.websiteId === undefined ? undefined : eq(deployments.websiteId, filter.websiteId),
        filter.environment === undefined ? undefined : eq(deployments.environment, filter.environment),
        filter.createdSince && gte(deployments.createdAt, filter.createdSince),
        filter.createdBefore && lt(deployments.createdAt, filter.createdBefore),
      ),
    )
    .orderBy(desc(deployments.createdAt), desc(deployments.id))
    .limit(filter.limit ?? DEFAULT_LIMIT);
  return rows.map((row) => row.deployment);
}

/** Returns who requested the deployment, as the viewer may see it. */
export function shownRequester(viewer: Actor, deployment: Deployment): ShownActor {
  return shownActor(viewer, requesterOf(deployment));
}

function requesterOf({ actorType, actorId, actorName }: Deployment): Pick<Actor, 'type' | 'id' | 'name'> {
  return { type: actorType === 'user' || actorType === 'key' ? actorType : 'system', id: actorId, name: actorName };
}

/** Warnings in an event, and paths of each: an event is sent whole to every receiver. The deployment has all. */
const MAX_EVENT_WARNINGS = 100;
const MAX_EVENT_PATHS = 20;

function eventWarnings(warnings: DeploymentWarning[]): DeploymentWarning[] {
  return warnings
    .slice(0, MAX_EVENT_WARNINGS)
    .map((warning) => ({ ...warning, old_paths: warning.old_paths.slice(0, MAX_EVENT_PATHS) }));
}

/** Builds an event about a deployment. docs/webhooks.md describes its data. */
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
        note: deployment.note,
        changes: changesOf(deployment),
        warnings: eventWarnings(deployment.warnings),
        warning_count: deployment.warnings.length,
      },
    },
  };
}

/** Returns the actor that requested the deployment, for its events. */
export async function createdBy(db: Queryable, deployment: Deployment): Promise<Actor> {
  const [owner] = await queryRows<{ accountId: number; plan: string }>(db)`
    select w.account_id, a.plan from websites w join accounts a on a.id = w.account_id where w.id = ${deployment.websiteId}`;
  if (!owner || !isPlan(owner.plan)) throw new Error(`deployment ${deployment.id} has no account`);
  return {
    accountId: owner.accountId,
    plan: owner.plan,
    ...requesterOf(deployment),
    role: null,
    scope: null,
  };
}
