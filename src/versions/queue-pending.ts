import { sql } from '../db/drizzle.ts';
import type { Tx } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { type QueuedDeployment, queueDeployments } from './queue.ts';

/**
 * Deploys what gathered while a website did not deploy by itself: each environment whose live rules are older than the working
 * state, but for held ones. For when auto_deploy is switched on.
 */
export async function queuePending(tx: Tx, actor: Actor, websiteId: number): Promise<QueuedDeployment[]> {
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
