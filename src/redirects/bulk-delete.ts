import { and, eq, inArray } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';
import { redirects } from '../db/schema.ts';
import { queueAutomaticDeployments } from '../versions/queue.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { publishEvents } from '../webhooks/outbox.ts';
import { lockWebsite, writeTransaction } from '../websites/write-website.ts';
import { environmentsOf, eventRedirect, redirectOf } from './redirect.ts';
import { countSelected, MAX_IDS, type Selection, selectBatches, websitesOf } from './select.ts';

/**
 * Deletes every selected redirect in one transaction and answers how many. One event for each; over 10,000 matches of a filter
 * one event says what was done (`bulk`).
 */
export async function bulkDeleteRedirects(
  db: Db,
  actor: Actor,
  input: { selection: Selection; bulk: Record<string, unknown> },
): Promise<number> {
  const { selection } = input;
  return writeTransaction(db, actor, async (tx) => {
    let deleted = 0;
    const asOne = 'filter' in selection && (await countSelected(tx, actor, selection)) > MAX_IDS;
    for (const websiteId of await websitesOf(tx, actor, selection)) {
      const website = await lockWebsite(tx, actor, websiteId);
      const touched = new Set<Environment>();
      let count = 0;
      for await (const batch of selectBatches(tx, actor, websiteId, selection)) {
        const ids = batch.map((row) => row.id);
        await tx.delete(redirects).where(and(eq(redirects.websiteId, websiteId), inArray(redirects.id, ids)));
        for (const row of batch) for (const environment of environmentsOf(row)) touched.add(environment);
        if (!asOne) {
          const events = batch.map((row) => ({
            event: 'redirect.deleted' as const,
            websiteId,
            redirectId: row.id,
            data: { redirect: eventRedirect(redirectOf(row)) },
          }));
          await publishEvents(tx, actor, website.now, events);
        }
        count += batch.length;
      }
      if (asOne) {
        await publishEvents(tx, actor, website.now, [
          { event: 'redirect.deleted', websiteId, data: { redirect: null, bulk: { ...input.bulk, count } } },
        ]);
      }
      await queueAutomaticDeployments(tx, actor, website, [...touched]);
      deleted += count;
    }
    return deleted;
  });
}
