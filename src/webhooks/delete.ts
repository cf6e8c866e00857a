import type { Db } from '../db/client.ts';
import { webhooks } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { cancelPending } from './cancel-orphans.ts';
import { ownWebhook, webhookNotFound } from './webhook.ts';

/** Removes the webhook: from here on nothing is queued or sent for it, what waits is canceled, and its log can no longer be read. */
export async function deleteWebhook(db: Db, actor: Actor, id: string, now: Date): Promise<void> {
  const deleted = await db.delete(webhooks).where(ownWebhook(actor, id)).returning({ id: webhooks.id });
  if (deleted.length === 0) throw webhookNotFound(id);
  await cancelPending(db, id, now);
}
