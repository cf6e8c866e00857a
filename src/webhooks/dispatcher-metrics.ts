import type { Db } from '../db/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Counter, Histogram, Metrics } from '../platform/metrics.ts';
import { type QueueState, readQueueState } from './queue.ts';

const FIRST_ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The queue is read at most so often, however often the numbers are asked for. */
const QUEUE_FRESH_MS = 5_000;

export interface DispatcherMetrics {
  attempts: Counter;
  reclaimed: Counter;
  firstAttempt: Histogram;
}

export function createDispatcherMetrics(
  metrics: Metrics,
  { db, clock, inFlight }: { db: Db; clock: Clock; inFlight: () => number },
): DispatcherMetrics {
  const queue = freshQueueState(db, clock);
  metrics.gauge('detour_webhook_pending', 'Deliveries that wait to be sent, held ones included', async () => {
    return (await queue())?.pending;
  });
  metrics.gauge(
    'detour_webhook_oldest_due_seconds',
    'How long the oldest delivery that nothing holds has been due',
    async () => (await queue())?.oldestDueSeconds,
  );
  metrics.gauge('detour_webhook_in_flight', 'Attempts of this process that are under way', inFlight);
  return {
    attempts: metrics.counter('detour_webhook_attempts_total', 'Attempts of this process', 'outcome'),
    reclaimed: metrics.counter(
      'detour_webhook_reclaimed_total',
      'Deliveries that this process took back from one that died or lost them',
    ),
    firstAttempt: metrics.histogram(
      'detour_webhook_first_attempt_seconds',
      'From the event to its first attempt',
      FIRST_ATTEMPT_BUCKETS,
    ),
  };
}

/** undefined where the database cannot say; the process's own numbers are told all the same. */
function freshQueueState(db: Db, clock: Clock): () => Promise<QueueState | undefined> {
  let readAt = -Infinity;
  let state: Promise<QueueState | undefined>;
  return () => {
    if (performance.now() - readAt > QUEUE_FRESH_MS) {
      readAt = performance.now();
      state = readQueueState(db, clock.now()).catch(() => undefined);
    }
    return state;
  };
}
