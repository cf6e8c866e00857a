import { sql } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { bodyOf, type Delivery, requireDelivery } from './delivery.ts';
import { requireActive } from './require-active.ts';

/**
 * Queues what a delivery carried once more, due at once, whatever became of it: a new delivery with the same event id and body.
 * EVENT_NOT_FOUND where the event is no longer kept, CONFLICT where the webhook is not active.
 */
export async function redeliver(
  db: Db,
  actor: Actor,
  { webhookId, id }: { webhookId: string; id: number },
  now: Date,
): Promise<Delivery> {
  const earlier = await requireDelivery(db, actor, { webhookId, id });
  await requireActive(db, actor, webhookId);
  if ((await bodyOf(db, earlier)) === null) {
    throw new DomainError('EVENT_NOT_FOUND', 'The event is no longer kept', {
      details: `delivery_id: what whd_${id} carried is older than the days that events are kept`,
    });
  }
  const at = now.toISOString();
  const { rows } = await db.execute<{ id: number }>(sql`
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, kind, due_at, created_at, test_body)
    select account_id, webhook_id, event_day, event_id, event, 'redelivery', ${at}::timestamptz, ${at}::timestamptz, test_body
    from deliveries where id = ${id} returning id`);
  return requireDelivery(db, actor, { webhookId, id: rows[0]?.id ?? 0 });
}
