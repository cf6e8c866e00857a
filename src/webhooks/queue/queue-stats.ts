import { type SQL, sql } from 'drizzle-orm';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Queryable, Db } from '../../db/client.ts';
import { SENDING_PLANS } from '../../events/outbox.ts';
import type { Clock } from '../../platform/clock.ts';

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
export async function readQueueStats(db: Queryable, now: Date): Promise<QueueState> {
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

const FIRST_ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The queue is read at most so often, however often the numbers are asked for. */
const QUEUE_FRESH_MS = 5_000;

export interface DispatcherMetrics {
  attempts: Counter<'outcome'>;
  reclaimed: Counter;
  firstAttempt: Histogram;
}

export function createDispatcherMetrics(
  metrics: Registry,
  { db, clock, inFlight }: { db: Db; clock: Clock; inFlight: () => number },
): DispatcherMetrics {
  const registers = [metrics];
  const readQueue = freshQueueState(db, clock);
  const addQueueGauge = (name: string, help: string, valueOf: (state: QueueState) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const state = await readQueue();
        if (state) this.set(valueOf(state));
        else this.remove();
      },
    });
  };
  addQueueGauge(
    'detour_webhook_pending',
    'Deliveries that wait to be sent, held ones included',
    (state) => state.pending,
  );
  addQueueGauge(
    'detour_webhook_oldest_due_seconds',
    'How long the oldest delivery that nothing holds has been due',
    (state) => state.oldestDueSeconds,
  );
  new Gauge({
    name: 'detour_webhook_in_flight',
    help: 'Attempts of this process that are under way',
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    attempts: new Counter({
      name: 'detour_webhook_attempts_total',
      help: 'Attempts of this process',
      labelNames: ['outcome'],
      registers,
    }),
    reclaimed: new Counter({
      name: 'detour_webhook_reclaimed_total',
      help: 'Deliveries that this process took back from one that died or lost them',
      registers,
    }),
    firstAttempt: new Histogram({
      name: 'detour_webhook_first_attempt_seconds',
      help: 'From the event to its first attempt',
      buckets: FIRST_ATTEMPT_BUCKETS,
      registers,
    }),
  };
}

/** undefined where the database cannot say; the process's own numbers are told all the same. */
function freshQueueState(db: Db, clock: Clock): () => Promise<QueueState | undefined> {
  let readAt = -Infinity;
  let state: Promise<QueueState | undefined>;
  return () => {
    if (performance.now() - readAt > QUEUE_FRESH_MS) {
      readAt = performance.now();
      state = readQueueStats(db, clock.now()).catch(() => undefined);
    }
    return state;
  };
}
