/** The deliveries that this process has, from the claim until their outcome is written. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { attemptDelivery, type AttemptDeps } from '../sending/attempt.ts';
import { type Claimed, releaseClaims } from './claim.ts';
import type { DispatcherMetrics } from './queue-stats.ts';
import { finishDeliveries } from './finish.ts';
import { createFinishBuffer, type FinishBuffer } from './finish-buffer.ts';

/**
 * A process that was stopped may find that its claim would be over before both attempts that it may make (15 s and the body each): it
 * sends nothing then that others may send as well.
 */
const STALE_CLAIM_MS = 10_000;
/** From then on a receiver counts as slow: as in claim_deliveries. */
const SLOW_AFTER_MS = 500;
/** Attempts begun in one turn of the event loop, each a tenth of a millisecond of signing. */
const BEGUN_AT_ONCE = 32;
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
  /** Sends them soon, those to healthy receivers before any other that still waits for its turn. */
  take(claimed: readonly Claimed[]): void;
  /** Sends it now; resolves when its outcome is written. Never rejects. */
  send(claimed: Claimed): Promise<void>;
  ids(): Iterable<number>;
  size(): number;
  /** how many of them go to failing receivers, or have been under way for long */
  slow(): number;
  /** Whether outcomes cannot be written at present. */
  isStuck(): boolean;
  /** Gives back what was not begun, waits so long for the rest, breaks off what is left then, and writes all outcomes. */
  close(withinMs: number): Promise<void>;
}

interface Held {
  isFailing: boolean;
  /** performance.now() */
  since: number;
  abort: AbortController;
  done: Promise<void>;
}

export function createInFlight(deps: InHandDeps): InHand {
  const { db, clock, instanceId, onError, onDone } = deps;
  const held = new Map<number, Held>();
  const buffer = createFinishBuffer(
    (batch) => finishDeliveries(db, instanceId, clock.now(), batch).then(() => {}),
    onError,
  );

  function send(claimed: Claimed): Promise<void> {
    const abort = new AbortController();
    const done = sendAndWrite(deps, buffer, claimed, abort.signal)
      .catch(onError)
      .finally(() => {
        held.delete(claimed.id);
        onDone();
      });
    held.set(claimed.id, { isFailing: claimed.isFailing, since: performance.now(), abort, done });
    return done;
  }

  const turns = createTurns(send);
  const allDone = () => Promise.allSettled(held.values().map(({ done }) => done));
  return {
    take: (claimed) => turns.add(claimed),
    send,
    ids: () => [...held.keys(), ...turns.waiting().map(({ id }) => id)],
    size: () => held.size + turns.waiting().length,
    slow() {
      const quickSince = performance.now() - SLOW_AFTER_MS;
      const isSlow = (one: Held): boolean => one.isFailing || one.since < quickSince;
      const slow = held.values().reduce((count, one) => count + (isSlow(one) ? 1 : 0), 0);
      return slow + turns.waiting().filter(({ isFailing }) => isFailing).length;
    },
    isStuck: () => buffer.isStuck(),
    async close(withinMs) {
      const deadline = pause(withinMs);
      const unsent = turns.waiting().splice(0);
      await releaseClaims(
        db,
        instanceId,
        unsent.map(({ id }) => id),
      ).catch(onError);
      await Promise.race([allDone(), deadline]);
      for (const { abort } of held.values()) abort.abort();
      await Promise.race([allDone(), pause(CLOSE_MS)]);
      await buffer.close(CLOSE_MS);
    },
  };
}

async function sendAndWrite(
  deps: InHandDeps,
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

/** Begins some at a time, so that a large claim holds up neither the event loop nor the next claim. */
function createTurns(begin: (claimed: Claimed) => Promise<void>) {
  const waiting: Claimed[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      for (const claimed of waiting.splice(0, BEGUN_AT_ONCE)) void begin(claimed);
      await nextTurn();
    }
    running = false;
  }

  return {
    waiting: () => waiting,
    add(claimed: readonly Claimed[]) {
      waiting.push(...claimed);
      waiting.sort((a, b) => Number(a.isFailing) - Number(b.isFailing));
      if (!running) void run();
    },
  };
}
