import { setTimeout as pause } from 'node:timers/promises';
import { isDataError } from '../db/postgres-errors.ts';
import type { Finished } from './attempt.ts';

/** So many are written without waiting for more. */
const ENOUGH = 64;
const MOST = 256;
const WAIT_MS = 5;
const FIRST_BACKOFF_MS = 100;
/** Short enough that sending goes on within 2 s of the database's return. */
const LONGEST_BACKOFF_MS = 1_000;

const longer = (ms: number): number => Math.min(ms * 2, LONGEST_BACKOFF_MS);

export interface FinishBuffer {
  /** Resolves when it is written. */
  add(finished: Finished): Promise<void>;
  /** Whether the last try to write failed: what is sent now could not be written down. */
  isStuck(): boolean;
  /** Writes what is left, and gives it up when that does not succeed within the time. */
  close(withinMs: number): Promise<void>;
}

/**
 * Collects outcomes for up to 5 ms or 64 of them and writes them together. While the database is away they are kept and tried
 * again; as claiming stops then, they are never more than what was under way.
 */
export function createFinishBuffer(
  write: (batch: Finished[]) => Promise<void>,
  onError: (error: unknown) => void,
): FinishBuffer {
  let waiting: { finished: Finished; done: () => void }[] = [];
  let running: Promise<void> | undefined;
  let full = Promise.withResolvers<void>();
  let stuck = false;
  let closing = false;
  let givenUp = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < ENOUGH && !closing) await Promise.race([full.promise, pause(WAIT_MS)]);
      full = Promise.withResolvers();
      const batch = waiting.slice(0, MOST);
      await writeUntilDone(batch.map(({ finished }) => finished));
      waiting = waiting.slice(batch.length);
      for (const { done } of batch) done();
    }
    running = undefined;
  }

  async function writeUntilDone(batch: Finished[]): Promise<void> {
    for (let backoffMs = FIRST_BACKOFF_MS; !givenUp; backoffMs = longer(backoffMs)) {
      try {
        await write(batch);
        stuck = false;
        return;
      } catch (error) {
        onError(error);
        if (isDataError(error)) return writeApart(batch);
        stuck = true;
        await pause(backoffMs);
      }
    }
  }

  /** One that can never be written must not hold up the others for ever; it is taken back later, as interrupted (reclaim.ts). */
  async function writeApart(batch: Finished[]): Promise<void> {
    if (batch.length < 2) return;
    const middle = batch.length >> 1;
    await writeUntilDone(batch.slice(0, middle));
    await writeUntilDone(batch.slice(middle));
  }

  return {
    add(finished) {
      return new Promise((done) => {
        waiting.push({ finished, done });
        if (waiting.length >= ENOUGH) full.resolve();
        running ??= run();
      });
    },
    isStuck: () => stuck,
    async close(withinMs) {
      closing = true;
      full.resolve();
      await Promise.race([running, pause(withinMs)]);
      givenUp = true;
    },
  };
}
