import { Counter, Histogram, type Registry } from 'prom-client';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { SENDING_PLANS } from '../../events/outbox.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { addGauge } from '../../platform/log/metrics.ts';

/**
 * CTE with the ids of webhooks that have pending deliveries, and a last null: one index lookup for each. Needs `with
 * recursive`.
 */
export const WAITING = sql`waiting (webhook_id) as (
  (select d.webhook_id from deliveries d where d.state = 'pending' order by d.webhook_id limit 1)
  union all
  select (select d.webhook_id from deliveries d
    where d.state = 'pending' and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1)
  from waiting where waiting.webhook_id is not null)`;

/** True for a receiver `w` that is not deactivated. `is_active` belongs to webhooks (db/schema/notices.ts). */
export const IS_ACTIVE = sql`case w.channel when 'webhook' then w.is_active else w.deactivated_reason is null end`;

/**
 * True for a receiver `w` of account `a` that is sent to. It is on hold while it is inactive or paused; a webhook or chat
 * also on a plan without webhooks; mail and email, on every plan, without `hasMail`.
 */
export function isOpen(at: SQL, hasMail: boolean): SQL {
  return sql`${IS_ACTIVE} and (w.paused_until is null or w.paused_until <= ${at})
    and case when w.channel in ('mail', 'email') then ${hasMail} else a.plan = any (${SENDING_PLANS}::text[]) end`;
}

/** The time at which the next delivery after `now` is due, or null. */
export async function nextDueAt(db: Queryable, now: Date): Promise<Date | null> {
  const [row] = await queryRows<{ dueMs: number | null }>(db)`
    with recursive ${WAITING}
    select (extract(epoch from min(${firstDue(sql`d.due_at > ${now.toISOString()}::timestamptz`)})) * 1000)::float8 as due_ms
    from waiting`;
  return row?.dueMs == null ? null : new Date(Math.ceil(row.dueMs));
}

export interface QueueState {
  /** deliveries that wait to be sent, those on hold included */
  pending: number;
  /** how long the oldest delivery that is not on hold has been due; the number to alert on */
  oldestDueSeconds: number;
  /** webhooks by state */
  webhooks: { active: number; paused: number; disabled: number };
}

/** Counts the queue. Reads the whole index of pending deliveries. */
async function readQueueStats(db: Queryable, now: Date, hasMail: boolean): Promise<QueueState> {
  const at = sql`${now.toISOString()}::timestamptz`;
  type Row = { pending: number; oldest: number | null; active: number; paused: number; disabled: number };
  const [row] = await queryRows<Row>(db)`
    with recursive ${WAITING}, states as (
      select count(*) filter (where is_active and (paused_until is null or paused_until <= ${at}))::int as active,
        count(*) filter (where is_active and paused_until > ${at})::int as paused,
        count(*) filter (where not is_active)::int as disabled from webhooks where channel = 'webhook')
    select states.*, (select count(*) from deliveries where state = 'pending')::int as pending,
      (select extract(epoch from ${at} - min(${firstDue(sql`true`)}))::float8
       from waiting join webhooks w on w.id = waiting.webhook_id join accounts a on a.id = w.account_id
       where ${isOpen(at, hasMail)}) as oldest
    from states`;
  if (!row) throw new Error('the queue has no row');
  const { pending, oldest, ...webhooks } = row;
  return { pending, oldestDueSeconds: Math.max(0, oldest ?? 0), webhooks };
}

function firstDue(condition: SQL): SQL {
  return sql`(select d.due_at from deliveries d
    where d.state = 'pending' and d.webhook_id = waiting.webhook_id and ${condition} order by d.due_at, d.id limit 1)`;
}

const FIRST_ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Frequent scrapes of the metrics share one read of the queue. */
const CACHE_MS = 5_000;

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;

export function createDispatcherMetrics(
  metrics: Registry,
  {
    db,
    clock,
    isSending,
    hasMail,
    inFlight,
  }: { db: Db; clock: Clock; isSending: boolean; hasMail: boolean; inFlight: () => number },
) {
  const registers = [metrics];
  const readQueue = cachedQueueStats(() => readQueueStats(db, clock.now(), hasMail));
  // Every process on one port reads the same queue, so the metrics of all have the maximum.
  addGauge(metrics, {
    name: 'detour_webhook_pending',
    help: 'Deliveries that wait to be sent, those on hold included',
    read: async () => (await readQueue())?.pending,
    aggregator: 'max',
  });
  addGauge(metrics, {
    name: 'detour_webhook_oldest_due_seconds',
    help: 'How long the oldest delivery that is not on hold has been due',
    read: async () => (await readQueue())?.oldestDueSeconds,
    aggregator: 'max',
  });
  addGauge(metrics, {
    name: 'detour_webhooks',
    help: 'Webhooks by state; a paused one waits after failures',
    labelNames: ['state'],
    read: async () => Object.entries((await readQueue())?.webhooks ?? {}).map(([state, count]) => [{ state }, count]),
    aggregator: 'max',
  });
  addGauge(metrics, {
    name: 'detour_webhook_sending',
    help: '1 if this process sends webhooks, 0 with WEBHOOK_SENDING=off',
    read: () => Number(isSending),
    aggregator: 'min',
  });
  addGauge(metrics, { name: 'detour_webhook_in_flight', help: 'Attempts of this process in flight', read: inFlight });
  return {
    attempts: new Counter({
      name: 'detour_webhook_attempts_total',
      help: 'Attempts of this process',
      labelNames: ['outcome'],
      registers,
    }),
    reclaimed: new Counter({
      name: 'detour_webhook_reclaimed_total',
      help: 'Deliveries that this process reclaimed from a crashed process or a lost claim',
      registers,
    }),
    firstAttempt: new Histogram({
      name: 'detour_webhook_first_attempt_seconds',
      help: 'Time from the event to its first attempt',
      buckets: FIRST_ATTEMPT_BUCKETS,
      registers,
    }),
  };
}

/** Returns undefined if the database is unavailable; the metrics of the process itself are still reported. */
function cachedQueueStats(read: () => Promise<QueueState>): () => Promise<QueueState | undefined> {
  let readAt = -Infinity;
  let stats: Promise<QueueState | undefined>;
  return () => {
    if (stopwatch() - readAt > CACHE_MS) {
      readAt = stopwatch();
      stats = read().catch(() => undefined);
    }
    return stats;
  };
}
