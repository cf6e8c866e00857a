import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { redirects } from '../../db/schema.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { requireRedirectRow } from '../list/find.ts';
import { deletedEvent } from '../rule/redirect-events.ts';
import { type Redirect, redirectOf } from '../rule/redirect.ts';

/**
 * Deletes one redirect with its event, and queues a deployment if the website deploys automatically. Returns the
 * deleted redirect. Throws REDIRECT_NOT_FOUND.
 */
export async function deleteRedirect(db: Db, actor: Actor, id: number): Promise<Redirect> {
  return writeTransaction(db, actor, async (tx) => {
    const { websiteId } = await requireRedirectRow(tx, actor, id);
    const website = await lockWebsite(tx, actor, websiteId);
    const redirect = redirectOf(await requireRedirectRow(tx, actor, id));
    await tx.delete(redirects).where(and(eq(redirects.websiteId, websiteId), eq(redirects.id, id)));
    await publishEvents(tx, actor, website.now, [deletedEvent(redirect)]);
    await queueAutomaticDeployments(tx, actor, website, redirect.environments);
    return redirect;
  });
}
