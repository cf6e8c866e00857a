import { sql } from '../db/drizzle.ts';
import type { Db, Tx } from '../db/client.ts';
import { queueDeployments } from '../versions/queue.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { invalid } from '../vocabulary/error.ts';
import { requireWebsite } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { type Deployment, requireDeployment } from './deployment.ts';

interface PromoteInput {
  websiteId: number;
  from: Environment;
  to: Environment;
}

/**
 * Asks for the rules that are live in `from` at this moment as the next version of `to`; the redirects and their targets stay as they
 * are. Holds `to` from now on, whatever becomes of the deployment. 422 where both are the same, or where nothing was ever deployed in
 * `from`: that would only empty `to`, which is hardly meant.
 */
export async function promote(
  db: Db,
  actor: Actor,
  { websiteId, from, to }: PromoteInput,
): Promise<Deployment> {
  if (from === to) throw invalid('to', `is ${from} already; name another environment`);
  return writeTransaction(db, actor, async (tx) => {
    await requireWebsite(tx, actor, websiteId);
    const source = { environment: from, version: await liveVersion(tx, websiteId, from) };
    if (source.version === 0) throw invalid('from', `nothing is deployed in ${from} yet; deploy it first`);
    const [queued] = await queueDeployments(tx, actor, websiteId, [to], 'promote', source);
    if (!queued) throw new Error('a promotion is always queued');
    return requireDeployment(tx, actor, queued.id);
  });
}

async function liveVersion(tx: Tx, websiteId: number, environment: Environment): Promise<number> {
  const { rows } = await tx.execute<{ live_version: number }>(sql`
    select live_version from website_environments where website_id = ${websiteId} and environment = ${environment}`);
  return rows[0]?.live_version ?? 0;
}
