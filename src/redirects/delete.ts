import { and, eq } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';
import { redirects } from '../db/schema.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../versions/queue.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { publishEvents } from '../webhooks/outbox.ts';
import { lockWebsite, writeTransaction } from '../websites/write-website.ts';
import { requireRedirectRow } from './find.ts';
import { eventRedirect, redirectOf } from './redirect.ts';

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
