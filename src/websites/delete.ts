import { eq, sql } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';
import { redirects, websiteHosts, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { changedNow } from './store-hosts.ts';
import { lockWebsite, writeTransaction } from './write-website.ts';

/**
 * Deletes a website: its hosts stop at once (and are free for others), its rows go in the background (purge.ts).
 * CONFLICT where it has redirects and `force` is not given.
 */
export async function deleteWebsite(db: Db, actor: Actor, id: number, force: boolean): Promise<void> {
  await writeTransaction(db, actor, async (tx) => {
    await lockWebsite(tx, actor, id);
    const [first] = await tx
      .select({ id: redirects.id })
      .from(redirects)
      .where(eq(redirects.websiteId, id))
      .limit(1);
    if (first && !force) {
      throw new DomainError('CONFLICT', 'The website has redirects', {
        details:
          'Delete its redirects first, or say ?force=true to delete them with it; that cannot be taken back',
      });
    }
    await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, id));
    await tx
      .update(websites)
      .set({ deletingSince: sql`clock_timestamp()`, changedAt: changedNow })
      .where(eq(websites.id, id));
  });
}
