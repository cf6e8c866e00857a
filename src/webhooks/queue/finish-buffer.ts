import { setTimeout as pause } from 'node:timers/promises';
import { createBackoff } from '../../vocabulary/backoff.ts';
import { isDataError } from '../../db/errors.ts';
import type { Finished } from '../sending/result.ts';

/** Outcomes that are written without waiting for more. */
const BATCH_SIZE = 64;
const MAX_BATCH_SIZE = 256;
const WAIT_MS = 5;
const FIRST_BACKOFF_MS = 100;
/** Sending resumes within 2 s of the database's return. */
const MAX_BACKOFF_MS = 1_000;

export type FinishBuffer = ReturnType<typeof createFinishBuffer>;

/**
 * Collects outcomes for up to 5 ms, or 64 of them, and writes them together. During a database outage they are retained
 * and retried. Claims pause then, so the buffer never holds more than what was in flight.
 */
export function createFinishBuffer(write: (batch: Finished[]) => Promise<void>, onError: (error: unknown) => void) {
  let waiting: { finished: Finished; done: () => void }[] = [];
  let running: Promise<void> | undefined;
  let full = Promise.withResolvers<void>();
  let isStuck = false;
  let isClosing = false;
  let isAbandoned = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < BATCH_SIZE && !isClosing) await Promise.race([full.promise, pause(WAIT_MS)]);
      full = Promise.withResolvers();
      const batch = waiting.slice(0, MAX_BATCH_SIZE);
      await writeWithRetries(batch.map(({ finished }) => finished));
      waiting = waiting.slice(batch.length);
      for (const { done } of batch) done();
    }
    running = undefined;
  }

  async function writeWithRetries(batch: Finished[]): Promise<void> {
    const backoff = createBackoff(FIRST_BACKOFF_MS, MAX_BACKOFF_MS);
    while (!isAbandoned) {
      try {
        await write(batch);
        isStuck = false;
        return;
      } catch (error) {
        onError(error);
        if (isDataError(error)) return writeHalves(batch);
        isStuck = true;
        await pause(backoff.next());
      }
    }
  }

  /** Isolates an outcome that can never be written. Its delivery is reclaimed later, as interrupted (reclaim.ts). */
  async function writeHalves(batch: Finished[]): Promise<void> {
    if (batch.length < 2) return;
    const middle = batch.length >> 1;
    await writeWithRetries(batch.slice(0, middle));
    await writeWithRetries(batch.slice(middle));
  }

  return {
    /** Resolves when the outcome is written. */
    add(finished: Finished): Promise<void> {
      return new Promise((done) => {
        waiting.push({ finished, done });
        if (waiting.length >= BATCH_SIZE) full.resolve();
        running ??= run();
      });
    },
    /** True if the last write failed. Sending pauses then, because further outcomes could not be written either. */
    isStuck: (): boolean => isStuck,
    /** Writes the rest, and abandons it after `withinMs`. */
    async close(withinMs: number): Promise<void> {
      isClosing = true;
      full.resolve();
      await Promise.race([running, pause(withinMs)]);
      isAbandoned = true;
    },
  };
}
