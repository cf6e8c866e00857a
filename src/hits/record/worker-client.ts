/**
 * A ledger in a thread of its own (counting-thread.ts): the thread that answers requests only hands them over. Counting there took it
 * 7 to 11 us of a request's 23, as its code and data were gone from the processor's caches each time.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Bounds } from '../count/count.ts';
import { openCountries } from '../count/country.ts';
import { BOUNDS, type HitAggregator } from '../count/aggregator.ts';
import { createBatchEncoder, type RequestBatch } from './request-batch.ts';

interface ThreadOptions {
  databaseUrl: string;
  /** of 16 bytes, under which visitors are hashed */
  visitorKey: Uint8Array;
  /** null: the country database that is shipped */
  geoipDb: string | null;
}

/** What the thread is started with. */
export interface ThreadData extends ThreadOptions {
  bounds: Bounds;
  /** kept by the thread: numbers at the places of `STATE` */
  state: BigInt64Array;
}

/** How many requests the thread has counted, and what a ledger tells, as of then. */
export const STATE = { counted: 0, unwritten: 1, foldedHits: 2, foldedPaths: 3 } as const;

export type Order = { pack: RequestBatch } | { write: Date } | 'close';
/** The answer to `write`. */
export type Report = { written: true } | { failed: unknown };

export interface LedgerThreadOptions extends ThreadOptions {
  bounds?: Bounds;
  /** How large the thread's heap may become, in MiB; as large as Node finds right where it is not given. */
  heapMb?: number;
  /** Hears what no call would tell: how many requests could not be counted, and why. */
  onError: (error: unknown) => void;
}

/** Handed over and not counted yet: many seconds of them. Where there are more, the thread hangs, and more would only take memory. */
const MOST_BEHIND = 300_000;
const CLOSE_MS = 500;

/**
 * A ledger whose thread starts with the first request that is counted: it takes 0.4 s of a processor and 70 MB, which a service that
 * nobody visits saves. Throws, in one line, where the country database cannot be read.
 */
export async function createWorkerAggregator(options: LedgerThreadOptions): Promise<HitAggregator> {
  await openCountries(options.geoipDb);
  let packer = createBatchEncoder();
  let thread: CountingThread | undefined;
  let handedOver = 0;
  let lost = 0;
  let lostBy: Error | undefined;
  let isClosed = false;

  const read = (name: keyof typeof STATE): number => thread?.read(name) ?? 0;
  const behind = (): number => handedOver - read('counted');

  /** A pack that does not arrive has texts that the next ones would refer to: they begin anew. */
  function lose(requests: number, why: Error): void {
    lost += requests;
    lostBy = why;
    packer = createBatchEncoder();
  }

  /** What a thread that has ended had counted since its last writing is gone, as with a process that is killed. */
  function forgetEnded(): void {
    const end = thread?.ended();
    if (!end) return;
    lose(packer.count + behind() + read('unwritten'), end);
    handedOver = 0;
    thread = undefined;
  }

  function handOver(): void {
    const { count } = packer;
    if (count === 0) return;
    const pack = packer.take();
    if (behind() > MOST_BEHIND) {
      lose(count, new Error(`the thread that counts hits is over ${MOST_BEHIND} requests behind`));
      return;
    }
    handedOver += count;
    thread?.post({ pack });
  }

  function tellLost(): void {
    if (lost === 0) return;
    options.onError(new Error(`${lost} requests could not be counted`, { cause: lostBy }));
    lost = 0;
  }

  return {
    count(request, at) {
      if (isClosed) return;
      forgetEnded();
      thread ??= startThread(options);
      packer.add(request, at);
      if (packer.isFull()) handOver();
    },
    async write(now) {
      forgetEnded();
      handOver();
      tellLost();
      await thread?.write(now);
    },
    unwritten: () => packer.count + behind() + read('unwritten'),
    folded: () => ({ hits: read('foldedHits'), paths: read('foldedPaths') }),
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
}

type CountingThread = ReturnType<typeof startThread>;

function startThread({ databaseUrl, visitorKey, geoipDb, bounds = BOUNDS, heapMb }: LedgerThreadOptions) {
  const state = new BigInt64Array(new SharedArrayBuffer(8 * Object.keys(STATE).length));
  const workerData: ThreadData = { databaseUrl, visitorKey, geoipDb, bounds, state };
  const worker = new Worker(new URL('../count/worker.ts', import.meta.url), {
    workerData,
    ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
  });
  let writing: PromiseWithResolvers<void> | undefined;
  let end: Error | undefined;

  const finish = (error: Error): void => {
    end ??= error;
    writing?.reject(end);
  };
  worker.on('error', (error) => finish(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => finish(new Error(`the thread that counts hits has ended with ${code}`)));
  worker.on('message', (report: Report) => {
    if ('failed' in report) writing?.reject(report.failed);
    else writing?.resolve();
  });

  return {
    /** why it has, where it has */
    ended: () => end,
    read: (name: keyof typeof STATE) => Number(Atomics.load(state, STATE[name])),
    post: (order: Order) => worker.postMessage(order),
    async write(now: Date): Promise<void> {
      writing = Promise.withResolvers();
      if (end) throw end;
      worker.postMessage({ write: now } satisfies Order);
      await writing.promise;
    },
    async close(): Promise<void> {
      if (end) return;
      worker.postMessage('close' satisfies Order);
      const exit = once(worker, 'exit');
      await Promise.race([exit, pause(CLOSE_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}
