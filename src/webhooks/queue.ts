import { type SQL, sql } from '../db/drizzle.ts';
import type { Queryable } from '../db/client.ts';
import { SENDING_PLANS } from './outbox.ts';

/** The webhooks that have something waiting, found without reading what waits: one look into the index for each. */
const WAITING = sql`waiting (webhook_id) as (
  (select d.webhook_id from deliveries d where d.state = 'pending' order by d.webhook_id limit 1)
  union all
  select (select d.webhook_id from deliveries d
    where d.state = 'pending' and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1)
  from waiting where waiting.webhook_id is not null)`;

/** When the next delivery after `now` is due; null for none. */
export async function nextDueAt(db: Queryable, now: Date): Promise<Date | null> {
  const { rows } = await db.execute<{ due_ms: number | null }>(sql`
    with recursive ${WAITING}
    select (extract(epoch from min(${firstDue(sql`d.due_at > ${now.toISOString()}::timestamptz`)})) * 1000)::float8 as due_ms
    from waiting`);
  const ms = rows[0]?.due_ms ?? null;
  return ms === null ? null : new Date(Math.ceil(ms));
}

export interface QueueState {
  /** waiting to be sent, held ones included */
  pending: number;
  /** how long the oldest has been due that nothing holds: the alarm */
  oldestDueSeconds: number;
}

/** Counts the queue; the cost is that of reading the index of what is pending. */
export async function readQueueState(db: Queryable, now: Date): Promise<QueueState> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const { rows } = await db.execute<{ pending: number; oldest: number | null }>(sql`
    with recursive ${WAITING}
    select (select count(*) from deliveries where state = 'pending')::int as pending,
      (select extract(epoch from ${at} - min(${firstDue(sql`true`)}))::float8
       from waiting join webhooks w on w.id = waiting.webhook_id join accounts a on a.id = w.account_id
       where w.is_active and (w.paused_until is null or w.paused_until <= ${at})
         and a.plan = any (${SENDING_PLANS}::text[])) as oldest`);
  return { pending: rows[0]?.pending ?? 0, oldestDueSeconds: Math.max(0, rows[0]?.oldest ?? 0) };
}

function firstDue(condition: SQL): SQL {
  return sql`(select d.due_at from deliveries d
    where d.state = 'pending' and d.webhook_id = waiting.webhook_id and ${condition} order by d.due_at, d.id limit 1)`;
}
