/** Counts what is answered, and has it written in the background: whoever answers a request is never kept waiting. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { createLoop } from '../../platform/loop.ts';
import type { Folded } from '../count/count.ts';
import type { HitAggregator } from '../count/aggregator.ts';
import type { Request } from './request-batch.ts';

const EVERY_MS = 1_000;
const LAST_EVERY_MS = 250;

export interface HitRecorder {
  /** Counts a request at this moment. Synchronous, touches nothing but memory, and never throws. */
  record(request: Request): void;
  start(): void;
  /** Writes all that was counted until now. Throws what the database says; what was not written yet is kept, and tried first next time. */
  flush(): Promise<void>;
  /** Hits of people that are counted and, as far as is known, not all written. */
  unwritten(): number;
  /** What was counted less finely since the start, because there was too much of it at once. */
  readonly folded: Readonly<Folded>;
  /** Ends the loop and writes what is left, again and again where that fails; what could not be written in time is told to `onError`. */
  stop(withinMs: number): Promise<void>;
}

export interface HitRecorderOptions {
  /** closed by `stop` */
  ledger: HitAggregator;
  clock: Clock;
  onError: (error: unknown) => void;
}

export function createHitRecorder({ ledger, clock, onError }: HitRecorderOptions): HitRecorder {
  let turn: Promise<void> = Promise.resolve();
  /** One at a time, whoever asks. */
  function flush(): Promise<void> {
    turn = turn.catch(() => {}).then(() => ledger.write(clock.now()));
    return turn;
  }

  /** A database that is restarted together with us may be back before `until`. */
  async function writeLast(until: number): Promise<void> {
    for (;;) {
      try {
        return await flush();
      } catch (error) {
        if (stopwatch() + LAST_EVERY_MS >= until) throw error;
        await pause(LAST_EVERY_MS);
      }
    }
  }

  const loop = createLoop(flush, EVERY_MS, onError);

  async function writeRest(withinMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(resolve, withinMs, 'late');
    try {
      const until = stopwatch() + withinMs;
      const written = loop.stop().then(() => writeLast(until));
      if ((await Promise.race([written, late])) !== 'late') return;
      written.catch(() => {});
      throw new Error(`the database did not answer within ${Math.round(withinMs)} ms`);
    } catch (cause) {
      const left = ledger.unwritten();
      onError(new Error(`${left} hits were counted and could not be written before the end`, { cause }));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    record: (request) => ledger.count(request, clock.now().getTime()),
    start: () => loop.start(),
    flush,
    unwritten: () => ledger.unwritten(),
    get folded() {
      return ledger.folded();
    },
    async stop(withinMs) {
      await writeRest(withinMs);
      await ledger.close();
    },
  };
}
