import { and, desc, eq, type InferSelectModel, isNull } from '../db/drizzle.ts';
import type { Queryable } from '../db/client.ts';
import { deployments, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError } from '../vocabulary/error.ts';

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
