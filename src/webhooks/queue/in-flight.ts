/** The deliveries of this process, from the claim until their outcome is written. */
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../db/connection/client.ts';
import { stopwatch } from '../../platform/clock.ts';
import { attemptDelivery } from '../sending/attempt.ts';
import type { AttemptDeps } from '../sending/result.ts';
import { type Claimed, releaseClaims, SLOW_AFTER_MS } from './claim.ts';
import { createFinishBuffer, type FinishBuffer } from './finish-buffer.ts';
import { finishDeliveries } from './finish.ts';
import type { DispatcherMetrics } from './queue-stats.ts';

/**
 * Skip claims older than this (the process was suspended): two 15 s attempts could outlast the 45 s lease, and another
 * process would send too.
 */
const STALE_CLAIM_MS = 10_000;
/** Attempts started in one turn of the event loop; signing takes 0.1 ms each. */
const START_BATCH_SIZE = 32;
/** Time to write the last outcomes. */
const CLOSE_MS = 1_000;

interface InFlightDeps extends AttemptDeps {
  db: Db;
  instanceId: number;
  measured: DispatcherMetrics;
  /** called when a delivery leaves, so that a slot is free */
  onDone: () => void;
}

interface Attempt {
  isFailing: boolean;
  startedAt: number;
  abort: AbortController;
  done: Promise<void>;
}

export function createInFlight(deps: InFlightDeps) {
  const { db, clock, instanceId, onError, onDone } = deps;
  const started = new Map<number, Attempt>();
  const buffer = createFinishBuffer(
    (batch) => finishDeliveries(db, instanceId, clock.now(), batch).then(() => {}),
    onError,
  );

  /** Sends a delivery immediately; resolves when its outcome is written. Never rejects. */
  function send(claimed: Claimed): Promise<void> {
    const abort = new AbortController();
    const done = sendAndWrite(deps, buffer, claimed, abort.signal)
      .catch(onError)
      .finally(() => {
        started.delete(claimed.id);
        onDone();
      });
    started.set(claimed.id, { isFailing: claimed.isFailing, startedAt: stopwatch(), abort, done });
    return done;
  }

  const queue = createStartQueue(send);
  const allDone = () => Promise.allSettled(started.values().map(({ done }) => done));
  return {
    /** Starts the deliveries, those to healthy receivers first. */
    add: (claimed: readonly Claimed[]): void => queue.add(claimed),
    send,
    ids: (): number[] => [...started.keys(), ...queue.waiting.map(({ id }) => id)],
    size: (): number => started.size + queue.waiting.length,
    /** How many go to failing receivers or have been in flight for over SLOW_AFTER_MS. */
    slow(): number {
      const slowBefore = stopwatch() - SLOW_AFTER_MS;
      const isSlow = ({ isFailing, startedAt }: Attempt): boolean => isFailing || startedAt < slowBefore;
      const slow = started.values().reduce((count, attempt) => count + (isSlow(attempt) ? 1 : 0), 0);
      return slow + queue.waiting.filter(({ isFailing }) => isFailing).length;
    },
    /** True while outcomes cannot be written. */
    isStuck: (): boolean => buffer.isStuck(),
    /** Releases what was not started, waits `withinMs` for the rest, aborts what is left, and writes all outcomes. */
    async close(withinMs: number): Promise<void> {
      const deadline = pause(withinMs);
      const unsent = queue.waiting.splice(0).map(({ id }) => id);
      await releaseClaims(db, instanceId, unsent).catch(onError);
      await Promise.race([allDone(), deadline]);
      for (const { abort } of started.values()) abort.abort();
      await Promise.race([allDone(), pause(CLOSE_MS)]);
      await buffer.close(CLOSE_MS);
    },
  };
}

async function sendAndWrite(
  deps: InFlightDeps,
  buffer: FinishBuffer,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { clock, measured } = deps;
  const sinceClaimMs = clock.now().getTime() - claimed.claimedAt.getTime();
  if (sinceClaimMs > STALE_CLAIM_MS) return;
  if (claimed.kind === 'event' && claimed.attemptNo === 1)
    measured.firstAttempt.observe((claimed.ageMs + sinceClaimMs) / 1_000);
  const finished = await attemptDelivery(deps, claimed, signal);
  for (const { outcome } of finished.attempts) measured.attempts.inc({ outcome });
  await buffer.add(finished);
}

/** Starts deliveries in batches, so that a large claim blocks neither the event loop nor the next claim. */
function createStartQueue(start: (claimed: Claimed) => Promise<void>) {
  const waiting: Claimed[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      for (const claimed of waiting.splice(0, START_BATCH_SIZE)) void start(claimed);
      await nextTick();
    }
    isRunning = false;
  }

  return {
    waiting,
    add(claimed: readonly Claimed[]) {
      waiting.push(...claimed);
      waiting.sort((a, b) => Number(a.isFailing) - Number(b.isFailing));
      if (!isRunning) void run();
    },
  };
}
