import { recordAudit } from '../../accounts/audit.ts';
import type { Db, Tx } from '../../db/connection/client.ts';
import { and, eq, gt } from '../../db/drizzle.ts';
import { deliveries, webhooks } from '../../db/schema/webhooks.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import type { Egress } from '../../platform/network/egress.ts';
import type { WebhookInput } from './create.ts';
import { checkReceiverUrl } from './receiver-url.ts';
import { deactivation, ownWebhook, requireWebhook, type Webhook, webhookNotFound, webhookTarget } from './webhook.ts';

type Row = typeof webhooks.$inferSelect;
type Change = { [Field in keyof WebhookInput | 'isActive']?: Row[Field] | undefined };

/** Health without attempts, for a new URL or a receiver that was fixed. */
const RESET_HEALTH = { failStreak: 0, failingSince: null, exhausted: false, pausedUntil: null };

/**
 * Changes the given fields; without a difference updated_at stays. Activating a webhook or changing its URL resets its
 * failures, and pending deliveries become due immediately. Deactivating holds pending deliveries and stops new ones. A
 * new URL is checked as in createWebhook.
 */
export async function updateWebhook(
  db: Db,
  actor: Actor,
  id: string,
  change: Change,
  { egress, now }: { egress: Egress; now: Date },
): Promise<Webhook> {
  const { url: previousUrl } = await requireWebhook(db, actor, id);
  const isUrlNew = change.url !== undefined && change.url !== previousUrl;
  const url = isUrlNew ? await checkReceiverUrl(change.url ?? '', egress) : previousUrl;
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(webhooks).where(ownWebhook(actor, id)).for('no key update');
    if (!row) throw webhookNotFound(id);
    const changed = changedFields(row, { ...change, url: isUrlNew ? url : undefined }, now);
    if (Object.keys(changed).length > 0) {
      const columns = { ...changed, updatedAt: now };
      await tx.update(webhooks).set(columns).where(eq(webhooks.id, id));
      if ('failStreak' in changed) await makePendingDue(tx, id, now);
      await recordAudit(tx, actor, {
        action: 'webhook.updated',
        target: webhookTarget(row),
        details: auditedChange(changed),
      });
    }
    return requireWebhook(tx, actor, id);
  });
}

/** The new values, without the health that the change resets. */
function auditedChange({ name, events, url, isActive }: Partial<Row>): Record<string, unknown> {
  return omitUndefined({ name, events, url, is_active: isActive });
}

/** Shows immediately whether a fixed receiver works, instead of after a delay of up to a day. */
async function makePendingDue(tx: Tx, webhookId: string, now: Date): Promise<void> {
  const isPending = and(eq(deliveries.webhookId, webhookId), eq(deliveries.state, 'pending'));
  await tx
    .update(deliveries)
    .set({ dueAt: now })
    .where(and(isPending, gt(deliveries.dueAt, now)));
}

function changedFields(row: Row, { name, url, events, isActive }: Change, now: Date): Partial<Row> {
  return {
    ...(name !== undefined && name !== row.name && { name }),
    ...(events && events.join() !== row.events.join() && { events }),
    ...(url !== undefined && url !== row.url && { url, ...RESET_HEALTH }),
    ...(isActive !== undefined && isActive !== row.isActive && activation(isActive, now)),
  };
}

function activation(isActive: boolean, now: Date): Partial<Row> {
  return isActive ? { isActive, deactivatedAt: null, deactivatedReason: null, ...RESET_HEALTH } : deactivation(now);
}
