import { eq } from '../db/drizzle.ts';
import type { Db, Tx } from '../db/client.ts';
import { websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { given } from '../vocabulary/given.ts';
import { checkFallbackIsElsewhere, checkWebsite, type WebsiteInput } from './check-website.ts';
import { changedNow, storeHosts } from './store-hosts.ts';
import { requireWebsite, type Website } from './website.ts';
import { lockWebsite, writeTransaction } from './write-website.ts';

/**
 * Changes what the input names; hosts are replaced as a whole. A change that changes nothing keeps updated_at. `alongside` is part of
 * the transaction: what has to become true together with the change.
 */
export async function updateWebsite(
  db: Db,
  actor: Actor,
  id: number,
  input: WebsiteInput,
  { serviceHost, alongside }: { serviceHost: string; alongside?: (tx: Tx) => Promise<unknown> },
): Promise<Website> {
  const { hosts, ...options } = checkWebsite(input, serviceHost);
  return writeTransaction(db, actor, async (tx) => {
    const { now } = await lockWebsite(tx, actor, id);
    const before = await requireWebsite(tx, actor, id);
    const after = { ...before, ...given(options), hosts: hosts ?? before.hosts };
    checkFallbackIsElsewhere(after.fallbackUrl, after.hosts);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    if (hosts) await storeHosts(tx, id, hosts);
    await tx
      .update(websites)
      .set({ ...options, updatedAt: now, changedAt: changedNow })
      .where(eq(websites.id, id));
    await alongside?.(tx);
    return requireWebsite(tx, actor, id);
  });
}
