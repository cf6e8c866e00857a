import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';

const BATCH = 5_000;

/**
 * Ends what still waits for webhooks that are no more: a delivery may have been queued in the moment of the deletion, or the process
 * that was canceling have died. Answers how many it ended.
 */
export async function cancelOrphans(db: Queryable, now: Date): Promise<number> {
  // From webhook to webhook over the index of what waits, however many deliveries each has.
  const { rows } = await db.execute<{ webhook_id: string }>(sql`
    with recursive waiting (webhook_id) as (
      (select d.webhook_id from deliveries d where d.state = 'pending' order by d.webhook_id limit 1)
      union all
      select (select d.webhook_id from deliveries d where d.state = 'pending' and d.webhook_id > waiting.webhook_id
        order by d.webhook_id limit 1)
      from waiting where waiting.webhook_id is not null)
    select webhook_id from waiting
    where webhook_id is not null and not exists (select 1 from webhooks w where w.id = waiting.webhook_id)`);
  let canceled = 0;
  for (const { webhook_id: webhookId } of rows) canceled += await cancelPending(db, webhookId, now);
  return canceled;
}

/**
 * Ends everything that waits for a webhook that was deleted, and answers how many. A batch is a statement of its own, so that nothing
 * waits for a long one; each goes on after the ids of the one before, as going through what that left behind takes longer every time.
 */
export async function cancelPending(db: Queryable, webhookId: string, now: Date): Promise<number> {
  let canceled = 0;
  let after: number | null = 0;
  while (after !== null) {
    const { rows }: { rows: { last: number | null; n: number }[] } = await db.execute<{
      last: number | null;
      n: number;
    }>(sql`
      with chosen as (
        select id from deliveries where webhook_id = ${webhookId} and state = 'pending' and id > ${after}
        order by id limit ${BATCH} for update skip locked),
      ended as (
        update deliveries d set state = 'canceled', finished_at = ${now.toISOString()}::timestamptz
        from chosen where d.id = chosen.id returning d.id)
      select max(id) as last, count(*)::int as n from ended`);
    canceled += rows[0]?.n ?? 0;
    after = rows[0]?.last ?? null;
  }
  return canceled;
}
