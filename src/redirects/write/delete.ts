import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { redirects } from '../../db/schema.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { publishEvents } from '../../events/outbox.ts';
import { lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { requireRedirectRow } from '../list/find.ts';
import { eventRedirect, redirectOf, environmentsOf } from '../rule/redirect.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { countSelected, MAX_IDS, type Selection, selectBatches, websitesOf } from './selection.ts';

/** Deletes one redirect; it stops being served where the website deploys by itself. 404 where it is not the account's. */
export async function deleteRedirect(
  db: Db,
  actor: Actor,
  id: number,
): Promise<{ deployments: QueuedDeployment[] }> {
  return writeTransaction(db, actor, async (tx) => {
    const { websiteId } = await requireRedirectRow(tx, actor, id);
    const website = await lockWebsite(tx, actor, websiteId);
    const redirect = redirectOf(await requireRedirectRow(tx, actor, id));
    await tx.delete(redirects).where(and(eq(redirects.websiteId, websiteId), eq(redirects.id, id)));
    await publishEvents(tx, actor, website.now, [
      { event: 'redirect.deleted', websiteId, redirectId: id, data: { redirect: eventRedirect(redirect) } },
    ]);
    const deployments = await queueAutomaticDeployments(tx, actor, website, redirect.environments);
    return { deployments };
  });
}

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
