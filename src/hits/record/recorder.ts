/** Counts requests and writes the counts in the background, so that a response never waits for the database. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, stopwatch, within } from '../../platform/clock.ts';
import { createLoop } from '../../platform/scheduling/loop.ts';
import type { Request } from '../count/request-batch.ts';
import type { HitAggregator } from './worker-client.ts';

const WRITE_INTERVAL_MS = 1_000;
const RETRY_ON_STOP_MS = 250;

export interface HitRecorderOptions {
  /** `stop` closes it */
  aggregator: HitAggregator;
  clock: Clock;
  onError: (error: unknown) => void;
}

export type HitRecorder = ReturnType<typeof createHitRecorder>;

export function createHitRecorder({ aggregator, clock, onError }: HitRecorderOptions) {
  let recorded = 0;
  let lastWrite: Promise<void> = Promise.resolve();
  /** One write at a time. */
  function flush(): Promise<void> {
    lastWrite = lastWrite.catch(() => {}).then(() => aggregator.write(clock.now()));
    return lastWrite;
  }

  /** Retries until `deadline`: a database that restarts together with the service may be back by then. */
  async function flushUntil(deadline: number): Promise<void> {
    for (;;) {
      try {
        return await flush();
      } catch (error) {
        if (stopwatch() + RETRY_ON_STOP_MS >= deadline) throw error;
        await pause(RETRY_ON_STOP_MS);
      }
    }
  }

  const loop = createLoop({ name: 'writing hits', tick: flush, everyMs: WRITE_INTERVAL_MS, onError });

  async function writeRest(timeoutMs: number): Promise<void> {
    try {
      const deadline = stopwatch() + timeoutMs;
      const written = loop.stop().then(() => flushUntil(deadline));
      if ((await within(timeoutMs, written, 'late')) !== 'late') return;
      throw new Error(`the database did not respond within ${Math.round(timeoutMs)} ms`);
    } catch (cause) {
      onError(new Error(`${aggregator.unwritten()} hits were lost: the last write failed`, { cause }));
    }
  }

  return {
    /** Counts a request at the present time. Synchronous; only touches memory; never throws. */
    record(request: Request) {
      recorded++;
      aggregator.count(request, clock.now().getTime());
    },
    /** Requests since the start. */
    recorded: () => recorded,
    /** Requests since the start that could not be counted. */
    lost: () => aggregator.lost(),
    start: () => loop.start(),
    /** Writes everything that was counted before. Throws if the database fails; the next write retries the rest. */
    flush,
    /** Requests that are counted and not known to be written. */
    unwritten: () => aggregator.unwritten(),
    /** Totals since the start. */
    get overflow() {
      return aggregator.overflow();
    },
    /** Ends the loop and writes the rest, with retries for `timeoutMs`. Reports lost hits to `onError`. */
    async stop(timeoutMs: number) {
      await writeRest(timeoutMs);
      await aggregator.close();
    },
  };
}
