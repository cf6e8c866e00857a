/** Messages and shared memory between worker-client.ts (main thread) and worker.ts. */
import type { CounterLimits } from './count.ts';
import type { RequestBatch } from './request-batch.ts';
import type { VisitorOptions } from './visitor.ts';

export interface WorkerData extends VisitorOptions {
  databaseUrl: string;
  limits: CounterLimits;
  /** shared memory, written by the worker; `STATE` has the indexes */
  state: BigInt64Array;
}

/** Indexes in `state`: requests and bytes counted so far, unwritten human hits, and the overflow (see `Overflow`). */
export const STATE = { counted: 0, countedBytes: 1, unwritten: 2, overflowHits: 3, overflowPaths: 4 } as const;

export type WorkerCommand = { batch: RequestBatch } | { write: Date } | 'close';
/** The reply to `write`. */
export type WriteResult = { written: true } | { error: unknown };
