import type { Db } from '../db/client.ts';
import { queueDeployments } from '../versions/queue.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireWebsite } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { type Deployment, requireDeployment } from './deployment.ts';

/**
 * Asks for a deployment of what the website's redirects are when it starts. Where one is queued already, that one is answered: it
 * will publish the same.
 */
export async function createDeployment(
  db: Db,
  actor: Actor,
  input: { websiteId: number; environment: Environment },
): Promise<Deployment> {
  return writeTransaction(db, actor, async (tx) => {
    await requireWebsite(tx, actor, input.websiteId);
    const [queued] = await queueDeployments(tx, actor, input.websiteId, [input.environment], 'explicit');
    if (!queued) throw new Error('an explicit deployment is always queued');
    return requireDeployment(tx, actor, queued.id);
  });
}
