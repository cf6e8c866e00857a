/**
 * The main thread's side of the worker: encodes requests into batches and sends them. Counting in the main thread took
 * 7 to 11 µs of the 23 µs of a request; encoding takes about 1 µs (bench/README.md).
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type BatchAggregator,
  DEFAULT_LIMITS,
  STATE,
  type WorkerCommand,
  type WorkerData,
  type WriteResult,
} from '../count/aggregator.ts';
import type { CounterLimits } from '../count/count.ts';
import { openCountries } from '../count/country.ts';
import { batchBytes, createBatchEncoder, type Request } from '../count/request-batch.ts';

export interface HitAggregator extends Pick<BatchAggregator, 'write' | 'unwritten' | 'overflow'> {
  /** Counts a request that arrived at `at` (milliseconds). Synchronous; only touches memory; never throws. */
  count(request: Request, at: number): void;
  /** Requests since the start that could not be counted. */
  lost(): number;
  /** Releases everything, written or not. Requests that are counted later are lost. */
  close(): Promise<void>;
}

export interface WorkerAggregatorOptions extends Omit<WorkerData, 'limits' | 'state'> {
  limits?: CounterLimits;
  /** maximum heap of the worker in MiB; default: Node's own */
  heapMb?: number;
  /** Reports how many requests could not be counted, and why. */
  onError: (error: unknown) => void;
}

/** Memory of requests that are sent and not counted yet: many seconds of traffic. Above it the worker hangs. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const TOO_FAR_BEHIND = `the worker that counts hits is more than ${MAX_BACKLOG_BYTES / 1024 / 1024} MiB behind`;
const CLOSE_TIMEOUT_MS = 250;
/** With V8's default, loading the modules of the worker left 110 MB of free young space. */
const YOUNG_MB = 16;

/**
 * Creates an aggregator in a worker thread. The thread starts with the first batch, because it costs 0.4 s of CPU
 * time and 70 MB, and restarts after a crash. The database may be unavailable: requests are retained until a write
 * reaches it. Throws a one-line Error if the country database cannot be read.
 */
export async function createWorkerAggregator(options: WorkerAggregatorOptions): Promise<HitAggregator> {
  await openCountries(options.geoipDb);
  const encoder = createBatchEncoder();
  let worker: RunningWorker | undefined;
  let sent = 0;
  let sentBytes = 0;
  const losses = createLosses(options.onError);
  let isClosed = false;

  const read = (name: keyof typeof STATE): number => worker?.read(name) ?? 0;
  const backlog = (): number => sent - read('counted');

  /** Everything that a crashed worker had not written is lost, as it is if the process is killed. */
  function dropCrashedWorker(): void {
    const failure = worker?.failure();
    if (!failure) return;
    // Requests of the current batch were never sent: the next worker counts them.
    losses.add(backlog() + read('unwritten'), failure);
    sent = 0;
    sentBytes = 0;
    worker = undefined;
  }

  function send(): void {
    const { count } = encoder;
    if (count === 0) return;
    const batch = encoder.take();
    if (sentBytes - read('countedBytes') > MAX_BACKLOG_BYTES) return losses.add(count, new Error(TOO_FAR_BEHIND));
    sent += count;
    sentBytes += batchBytes(batch);
    worker ??= startWorker(options);
    worker.post({ batch });
  }

  return {
    count(request, at) {
      if (isClosed) return;
      dropCrashedWorker();
      encoder.add(request, at);
      if (encoder.isFull()) send();
    },
    async write(now) {
      dropCrashedWorker();
      send();
      losses.report();
      await worker?.write(now);
    },
    unwritten: () => encoder.count + backlog() + read('unwritten'),
    lost: losses.total,
    overflow: () => ({ hits: read('overflowHits'), paths: read('overflowPaths') }),
    async close() {
      isClosed = true;
      await worker?.close();
    },
  };
}

/** Requests that could not be counted. */
function createLosses(onError: (error: unknown) => void) {
  let total = 0;
  let reported = 0;
  let cause: Error | undefined;
  return {
    total: () => total,
    add(requests: number, reason: Error): void {
      total += requests;
      cause = reason;
    },
    /** Reports those since the last report. */
    report(): void {
      if (total > reported) onError(new Error(`${total - reported} requests could not be counted`, { cause }));
      reported = total;
    },
  };
}

type RunningWorker = ReturnType<typeof startWorker>;

function startWorker(options: WorkerAggregatorOptions) {
  const { databaseUrl, geoipDb, secretKey, previousSecretKey, limits = DEFAULT_LIMITS, heapMb } = options;
  const state = new BigInt64Array(new SharedArrayBuffer(8 * Object.keys(STATE).length));
  const workerData: WorkerData = { databaseUrl, geoipDb, secretKey, previousSecretKey, limits, state };
  const worker = new Worker(new URL('../count/worker.ts', import.meta.url), {
    workerData,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
    },
  });
  let writing: PromiseWithResolvers<void> | undefined;
  let failure: Error | undefined;

  const fail = (error: Error): void => {
    failure ??= error;
    writing?.reject(failure);
  };
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => fail(new Error(`the worker that counts hits exited with code ${code}`)));
  worker.on('message', (result: WriteResult) => {
    if ('error' in result) writing?.reject(result.error);
    else writing?.resolve();
  });

  return {
    /** Why the worker ended; undefined while it runs. */
    failure: () => failure,
    read: (name: keyof typeof STATE) => Number(Atomics.load(state, STATE[name])),
    post: (command: WorkerCommand) => worker.postMessage(command),
    async write(now: Date): Promise<void> {
      writing = Promise.withResolvers();
      if (failure) throw failure;
      worker.postMessage({ write: now } satisfies WorkerCommand);
      await writing.promise;
    },
    async close(): Promise<void> {
      if (failure) return;
      worker.postMessage('close' satisfies WorkerCommand);
      const exit = once(worker, 'exit');
      await Promise.race([exit, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}
