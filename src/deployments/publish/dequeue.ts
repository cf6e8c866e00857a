import type { Db } from '../../db/connection/client.ts';
import { eq } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { deployments } from '../../db/schema/deployments.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type Deployment, createdBy, deploymentEvent } from './deployment.ts';

/**
 * Returns the deployment to run: one that a crashed process left running, else the first in the queue, which it marks
 * as running. Later changes then queue the next one. Returns undefined if the queue is empty.
 */
export async function dequeueDeployment(
  db: Db,
  websiteId: number,
  environment: Environment,
): Promise<Deployment | undefined> {
  return db.transaction(async (tx) => {
    const [at] = await queryRows<{ queued: string | null; running: string | null; now: string }>(tx)`
      select queued, running, date_trunc('milliseconds', clock_timestamp()) as now from website_environments
      where website_id = ${websiteId} and environment = ${environment} for update`;
    const id = at?.running ?? at?.queued;
    if (!at || id == null) return undefined;
    if (at.running !== null) {
      const [running] = await tx.select().from(deployments).where(eq(deployments.id, id));
      return running;
    }
    await queryRows(tx)`
      update website_environments set queued = queued_after[1], queued_after = queued_after[2:], running = ${id}
      where website_id = ${websiteId} and environment = ${environment}`;
    const [started] = await tx
      .update(deployments)
      .set({ status: 'running', startedAt: new Date(at.now) })
      .where(eq(deployments.id, id))
      .returning();
    if (!started) throw new Error(`queued deployment ${id} has no row`);
    const actor = await createdBy(tx, started);
    await publishEvents(tx, actor, new Date(at.now), [deploymentEvent('deployment.started', started)]);
    return started;
  });
}
