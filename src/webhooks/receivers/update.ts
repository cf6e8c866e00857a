import { and, eq, gt } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { deliveries, webhooks } from '../../db/schema.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Egress } from '../sending/egress.ts';
import type { WebhookInput } from './create.ts';
import { checkReceiverUrl } from './receiver-url.ts';
import { deactivation, ownWebhook, requireWebhook, type Webhook, webhookNotFound } from './webhook.ts';

export type WebhookChange = { [Field in keyof WebhookInput]?: WebhookInput[Field] | undefined } & {
  isActive?: boolean | undefined;
};

type Row = typeof webhooks.$inferSelect;

/** What was learnt from attempts, and says nothing about another address or a receiver that was mended. */
const UNKNOWN_HEALTH = { failStreak: 0, failingSince: null, exhausted: false, pausedUntil: null };

/**
 * Changes what the input names; one that changes nothing keeps updated_at. Activating begins anew, and so
 * does a new address: the count of failures is zero, and what waits for a later attempt is due now. Deactivating holds what waits,
 * and makes no new deliveries. A new address is checked as at creation.
 */
export async function updateWebhook(
  db: Db,
  actor: Actor,
  id: string,
  change: WebhookChange,
  { egress, now }: { egress: Egress; now: Date },
): Promise<Webhook> {
  const { url: before } = await requireWebhook(db, actor, id);
  const isMoved = change.url !== undefined && change.url !== before;
  const url = isMoved ? await checkReceiverUrl(change.url ?? '', egress) : before;
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(webhooks).where(ownWebhook(actor, id)).for('no key update');
    if (!row) throw webhookNotFound(id);
    const changed = changedFields(row, { ...change, url: isMoved ? url : undefined }, now);
    if (Object.keys(changed).length > 0) {
      await tx
        .update(webhooks)
        .set({ ...changed, updatedAt: now })
        .where(eq(webhooks.id, id));
      if ('failStreak' in changed) await bringForward(tx, id, now);
    }
    return requireWebhook(tx, actor, id);
  });
}

/** Whoever mends a receiver wants to see at once that it works, not after what is left of a day's delay. */
async function bringForward(tx: Tx, webhookId: string, now: Date): Promise<void> {
  await tx
    .update(deliveries)
    .set({ dueAt: now })
    .where(
      and(eq(deliveries.webhookId, webhookId), eq(deliveries.state, 'pending'), gt(deliveries.dueAt, now)),
    );
}

function changedFields(row: Row, { name, url, events, isActive }: WebhookChange, now: Date): Partial<Row> {
  return {
    ...(name !== undefined && name !== row.name && { name }),
    ...(events && events.join() !== row.events.join() && { events }),
    ...(url !== undefined && url !== row.url && { url, ...UNKNOWN_HEALTH }),
    ...(isActive !== undefined && isActive !== row.isActive && activation(isActive, now)),
  };
}

function activation(isActive: boolean, now: Date): Partial<Row> {
  return isActive
    ? { isActive, deactivatedAt: null, deactivatedReason: null, ...UNKNOWN_HEALTH }
    : deactivation(now);
}
