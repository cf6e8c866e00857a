/** Adds request batches up in memory, and writes the sums when it is ordered to. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection/client.ts';
import { DrizzleQueryError } from '../../db/drizzle.ts';
import { createPendingCounters, type PendingCounters } from '../counters/counters.ts';
import { splitIntoBatches, type WriteBatch } from '../counters/write-batches.ts';
import { createWriterState, writeBatch } from '../store/write-batch.ts';
import { type CounterLimits, countVisit, type Overflow } from './count.ts';
import { createBatchDecoder, type RequestBatch } from './request-batch.ts';
import type { VisitorOptions, Visitors } from './visitor.ts';
import type { DatabaseUrl } from '../../vocabulary/database-url.ts';

export const DEFAULT_LIMITS: CounterLimits = {
  bytes: 128 * 1024 * 1024,
  pathsOfSite: 1_000,
  paths: 10_000,
};

export interface AggregatorOptions {
  /** stays open: its owner closes it */
  db: Db;
  visitors: Visitors;
  limits?: CounterLimits;
}

export type BatchAggregator = ReturnType<typeof createBatchAggregator>;

export function createBatchAggregator({ db, visitors, limits = DEFAULT_LIMITS }: AggregatorOptions) {
  const overflow: Overflow = { hits: 0, paths: 0 };
  const context = { visitors, limits, overflow };
  const decode = createBatchDecoder(visitors);
  const writer = createWriter(db);
  let pending = createPendingCounters();
  return {
    /** Counts the batches of one `BatchEncoder`, in their order. Synchronous, and only touches memory. */
    count: (batch: RequestBatch) => decode(batch, (visit) => countVisit(pending, visit, context)),
    /**
     * Writes everything that was counted before the call. Throws if the database fails; the next call then writes what
     * is left, first. Call it once at a time.
     */
    async write(now: Date) {
      // The rest of a failed write first. `pending` goes on growing while it is written.
      await writer.finish(now);
      if (pending.days.size === 0) return;
      writer.take(pending);
      pending = createPendingCounters();
      await writer.finish(now);
    },
    /** Requests that are counted and not known to be written. */
    unwritten: () => pending.requests + writer.unwritten(),
    /** Totals since the start. */
    overflow: () => overflow,
  };
}

/** Writes counters batch by batch. Retries a failed batch with the same number before it writes any other. */
function createWriter(db: Db) {
  const state = { writer: randomUUID(), ...createWriterState() };
  let batches: Generator<WriteBatch> | undefined;
  let batch: WriteBatch | undefined;
  let number = 0;
  let requests = 0;

  function next(): void {
    const step = batches?.next();
    batch = step && !step.done ? step.value : undefined;
    number++;
    if (!batch) requests = 0;
  }

  return {
    /** Starts with other counters; those before must be finished. */
    take(pending: PendingCounters): void {
      batches = splitIntoBatches(pending);
      requests = pending.requests;
      next();
    },
    async finish(now: Date): Promise<void> {
      while (batch) {
        await writeBatch(db, state, { batch, number, now }).catch(throwWithoutStatement);
        next();
      }
    },
    /** Requests of the counters in progress, including batches that are already written. */
    unwritten: () => requests,
  };
}

/** Keeps the statement out of the log: with its values it is a megabyte, and contains paths and sketches. */
function throwWithoutStatement(error: unknown): never {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  throw new Error('writing a batch of hits failed; it is retained and retried', { cause });
}

/** The message that starts the worker (worker.ts); hits/record/worker-client.ts sends it, and the commands. */
export interface WorkerData extends VisitorOptions {
  databaseUrl: DatabaseUrl;
  limits: CounterLimits;
  /** shared memory, written by the worker; `STATE` has the indexes */
  state: BigInt64Array;
}

/** Indexes in `state`: requests and bytes counted so far, unwritten requests, and the overflow (see `Overflow`). */
export const STATE = { counted: 0, countedBytes: 1, unwritten: 2, overflowHits: 3, overflowPaths: 4 } as const;

export type WorkerCommand = { batch: RequestBatch } | { write: Date } | 'close';
/** The reply to `write`. */
export type WriteResult = { written: true } | { error: unknown };
