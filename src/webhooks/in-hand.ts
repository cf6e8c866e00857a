/** The deliveries that this process is sending, from the claim until their outcome is written. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../db/client.ts';
import type { Clock } from '../platform/clock.ts';
import { attemptDelivery, type AttemptDeps } from './attempt.ts';
import type { Claimed } from './claim.ts';
import type { DispatcherMetrics } from './dispatcher-metrics.ts';
import { createFinishBuffer } from './finish-buffer.ts';
import { finishDeliveries } from './finish.ts';

/**
 * A process that was stopped may find that its claim would be over before both attempts that it may make (15 s and the body each): it
 * sends nothing then that others may send as well.
 */
const STALE_CLAIM_MS = 10_000;
/** From then on a receiver counts as slow: as in claim_deliveries. */
const SLOW_AFTER_MS = 500;
/** What writing the last outcomes may take. */
const CLOSE_MS = 1_000;

export interface InHandDeps extends AttemptDeps {
  db: Db;
  clock: Clock;
  instanceId: number;
  measured: DispatcherMetrics;
  /** called when a delivery is off our hands: there is room for another one */
  onDone: () => void;
}

export interface InHand {
  /** Sends it; resolves when its outcome is written. Never rejects. */
  send(claimed: Claimed): Promise<void>;
  ids(): Iterable<number>;
  size(): number;
  /** how many of them go to failing receivers, or have been under way for long */
  slow(): number;
  /** Whether outcomes cannot be written at present. */
  isStuck(): boolean;
  /** Waits so long, breaks off what is left then, and writes all outcomes. */
  close(withinMs: number): Promise<void>;
}

interface Held {
  isFailing: boolean;
  /** performance.now() */
  since: number;
  abort: AbortController;
  done: Promise<void>;
}

export function createInHand(deps: InHandDeps): InHand {
  const { db, clock, instanceId, measured, onError, onDone } = deps;
  const held = new Map<number, Held>();
  const buffer = createFinishBuffer(
    (batch) => finishDeliveries(db, instanceId, clock.now(), batch).then(() => {}),
    onError,
  );

  async function sendAndWrite(claimed: Claimed, signal: AbortSignal): Promise<void> {
    const sinceClaimMs = clock.now().getTime() - claimed.claimedAt.getTime();
    if (sinceClaimMs > STALE_CLAIM_MS) return;
    if (claimed.kind === 'event' && claimed.attemptNo === 1)
      measured.firstAttempt.observe((claimed.ageMs + sinceClaimMs) / 1_000);
    const finished = await attemptDelivery(deps, claimed, signal);
    for (const { outcome } of finished.attempts) measured.attempts.add(outcome);
    await buffer.add(finished);
  }

  const allDone = () => Promise.allSettled(held.values().map(({ done }) => done));

  return {
    send(claimed) {
      const abort = new AbortController();
      const done = sendAndWrite(claimed, abort.signal)
        .catch(onError)
        .finally(() => {
          held.delete(claimed.id);
          onDone();
        });
      held.set(claimed.id, { isFailing: claimed.isFailing, since: performance.now(), abort, done });
      return done;
    },
    ids: () => held.keys(),
    size: () => held.size,
    slow() {
      const quickSince = performance.now() - SLOW_AFTER_MS;
      const isSlow = (one: Held): boolean => one.isFailing || one.since < quickSince;
      return held.values().reduce((count, one) => count + (isSlow(one) ? 1 : 0), 0);
    },
    isStuck: () => buffer.isStuck(),
    async close(withinMs) {
      await Promise.race([allDone(), pause(withinMs)]);
      for (const { abort } of held.values()) abort.abort();
      await Promise.race([allDone(), pause(CLOSE_MS)]);
      await buffer.close(CLOSE_MS);
    },
  };
}
