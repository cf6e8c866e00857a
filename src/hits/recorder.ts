/** Counts in memory and writes in the background: whoever answers a request is never kept waiting. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DrizzleQueryError } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import { createLoop } from '../platform/loop.ts';
import { type Batch, batchesOf } from './batches.ts';
import type { Bounds, Folded, Request } from './count.ts';
import { createCounter } from './counter.ts';
import { createNotedActivity } from './noted-activity.ts';
import type { Tallies } from './tally.ts';
import type { Visitors } from './visitor.ts';
import { writeBatch } from './write-batch.ts';

const EVERY_MS = 1_000;
const LAST_EVERY_MS = 250;
const BOUNDS: Bounds = { bytes: 128 * 1024 * 1024, pathsOfSite: 1_000, paths: 10_000 };

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
  db: Db;
  clock: Clock;
  visitors: Visitors;
  onError: (error: unknown) => void;
  bounds?: Bounds;
}

export function createHitRecorder({
  db,
  clock,
  visitors,
  onError,
  bounds = BOUNDS,
}: HitRecorderOptions): HitRecorder {
  const counter = createCounter(clock, visitors, bounds);
  const writer = createWriter(db, clock);

  async function writeAll(): Promise<void> {
    // First what an earlier try has left; meanwhile it is counted on.
    await writer.finish();
    const tallies = counter.take();
    if (tallies.days.size === 0) return;
    writer.take(tallies);
    await writer.finish();
  }

  let turn: Promise<void> = Promise.resolve();
  /** One at a time, whoever asks. */
  function flush(): Promise<void> {
    turn = turn.catch(() => {}).then(writeAll);
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

  const unwritten = (): number => counter.hits() + writer.unwritten();
  const loop = createLoop(flush, EVERY_MS, onError);
  return {
    record: (request) => counter.record(request),
    start: () => loop.start(),
    flush,
    unwritten,
    get folded() {
      return counter.folded();
    },
    async stop(withinMs) {
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = setTimeout(resolve, withinMs, 'late');
      try {
        const until = stopwatch() + withinMs;
        const written = loop.stop().then(() => writeLast(until));
        if ((await Promise.race([written, late])) !== 'late') return;
        written.catch(() => {});
        throw new Error(`the database did not answer within ${Math.round(withinMs)} ms`);
      } catch (cause) {
        onError(
          new Error(`${unwritten()} hits were counted and could not be written before the end`, { cause }),
        );
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Writes tallies batch by batch; one that failed is tried again, with its number, before any other. */
function createWriter(db: Db, clock: Clock) {
  const state = { writer: randomUUID(), months: new Set<string>(), noted: createNotedActivity() };
  let batches: Generator<Batch> | undefined;
  let batch: Batch | undefined;
  let number = 0;
  let hits = 0;

  function next(): void {
    const step = batches?.next();
    batch = step && !step.done ? step.value : undefined;
    number++;
    if (!batch) hits = 0;
  }

  return {
    take(tallies: Tallies): void {
      batches = batchesOf(tallies);
      hits = tallies.hits;
      next();
    },
    async finish(): Promise<void> {
      while (batch) {
        await writeBatch(db, state, { batch, number, now: clock.now() }).catch(tellWhy);
        next();
      }
    },
    /** hits of people in what was taken, of which a part may be written by now */
    unwritten: () => hits,
  };
}

/** What the database said, without the statement: with its values that is a megabyte, and the log is no place for paths and sketches. */
function tellWhy(error: unknown): never {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  throw new Error('a batch of hits could not be written; it is kept and tried again', { cause });
}
