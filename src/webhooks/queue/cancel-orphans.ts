import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { WAITING } from './queue-stats.ts';

const BATCH_SIZE = 5_000;

/**
 * Cancels pending deliveries of deleted webhooks: a delivery may be queued during the deletion, or the deleting process
 * may crash. Returns how many.
 */
export async function cancelOrphans(db: Queryable, now: Date): Promise<number> {
  const orphaned = await queryRows<{ webhookId: string }>(db)`
    with recursive ${WAITING}
    select webhook_id from waiting
    where webhook_id is not null and not exists (select 1 from webhooks w where w.id = waiting.webhook_id)`;
  let canceled = 0;
  for (const { webhookId } of orphaned) canceled += await cancelPending(db, webhookId, now);
  return canceled;
}

type Batch = { last: number | null; n: number };

/**
 * Cancels the pending deliveries of a deleted webhook, and returns how many. Each batch is one short statement that
 * continues after the last id of the previous batch; starting over would read its dead rows again.
 */
export async function cancelPending(db: Queryable, webhookId: string, now: Date): Promise<number> {
  let canceled = 0;
  let after: number | null = 0;
  while (after !== null) {
    const [batch]: Batch[] = await queryRows<Batch>(db)`
      with chosen as (
        select id from deliveries where webhook_id = ${webhookId} and state = 'pending' and id > ${after}
        order by id limit ${BATCH_SIZE} for update skip locked),
      ended as (
        update deliveries d set state = 'canceled', finished_at = ${now.toISOString()}::timestamptz, message = null
        from chosen where d.id = chosen.id returning d.id)
      select max(id) as last, count(*)::int as n from ended`;
    canceled += batch?.n ?? 0;
    after = batch?.last ?? null;
  }
  return canceled;
}
