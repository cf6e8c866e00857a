/** Requests counted in memory and written when told to: the two halves of recording, in one thread. */
import { randomUUID } from 'node:crypto';
import { DrizzleQueryError } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type Batch, batchesOf } from './batches.ts';
import { type Bounds, countVisit, type Folded } from './count.ts';
import { createSaturatedRedirects } from '../store/write-redirects.ts';
import { createNotedActivity } from '../store/last-hits.ts';
import {
  createBatchEncoder,
  createBatchDecoder,
  type RequestBatch,
  type Request,
} from '../record/request-batch.ts';
import { createTallies, type PendingCounters } from './counters.ts';
import type { Visitors } from './visitor.ts';
import { writeBatch } from '../store/write-batch.ts';

export const BOUNDS: Bounds = { bytes: 128 * 1024 * 1024, pathsOfSite: 1_000, paths: 10_000 };

/** Where requests are counted: in this thread, or in one of its own (ledger-thread.ts). */
export interface HitAggregator {
  /** Counts a request of that moment, in milliseconds since the epoch. Synchronous, touches nothing but memory, and never throws. */
  count(request: Request, at: number): void;
  /**
   * Writes all that was counted before; `now` is the time by the clock. Throws what the database says; what was not written yet is kept,
   * and tried first next time. One at a time.
   */
  write(now: Date): Promise<void>;
  /** Hits of people that are counted and, as far as is known, not all written. */
  unwritten(): number;
  /** What was counted less finely since the start, because there was too much of it at once. */
  folded(): Readonly<Folded>;
  /** Frees what it holds, written or not. What is counted after that is lost. */
  close(): Promise<void>;
}

export interface AggregatorOptions {
  db: Db;
  visitors: Visitors;
  bounds?: Bounds;
}

/** A ledger of packs, which have to be those of one packer and in their order; `db` stays its owner's. */
export type BatchAggregator = Pick<HitAggregator, 'write' | 'unwritten' | 'folded'> & {
  count(pack: RequestBatch): void;
};

export function createBatchAggregator({ db, visitors, bounds = BOUNDS }: AggregatorOptions): BatchAggregator {
  const folded: Folded = { hits: 0, paths: 0 };
  const counting = { visitors, bounds, folded };
  const unpack = createBatchDecoder(visitors);
  const writer = createWriter(db);
  let tallies = createTallies();
  return {
    count: (pack) => unpack(pack, (visit) => countVisit(tallies, visit, counting)),
    async write(now) {
      // First what an earlier try has left; meanwhile it is counted on.
      await writer.finish(now);
      if (tallies.days.size === 0) return;
      writer.take(tallies);
      tallies = createTallies();
      await writer.finish(now);
    },
    unwritten: () => tallies.hits + writer.unwritten(),
    folded: () => folded,
  };
}

/** A ledger in this thread; `db` stays its owner's. */
export function createAggregator(options: AggregatorOptions): HitAggregator {
  const packer = createBatchEncoder();
  const ledger = createBatchAggregator(options);
  const count = (): void => ledger.count(packer.take());
  return {
    count(request, at) {
      packer.add(request, at);
      if (packer.isFull()) count();
    },
    write(now) {
      count();
      return ledger.write(now);
    },
    unwritten() {
      count();
      return ledger.unwritten();
    },
    folded() {
      count();
      return ledger.folded();
    },
    close: () => Promise.resolve(),
  };
}

/** Writes tallies batch by batch; one that failed is tried again, with its number, before any other. */
function createWriter(db: Db) {
  const state = {
    writer: randomUUID(),
    months: new Set<string>(),
    noted: createNotedActivity(),
    crowded: createSaturatedRedirects(),
  };
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
    take(tallies: PendingCounters): void {
      batches = batchesOf(tallies);
      hits = tallies.hits;
      next();
    },
    async finish(now: Date): Promise<void> {
      while (batch) {
        await writeBatch(db, state, { batch, number, now }).catch(tellWhy);
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
