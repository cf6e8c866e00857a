/** The side of the caller: a worker thread that runs jobs, started at the first one and again after a crash. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createReceiver, createSender, MIN_BODY_SLOT_BYTES, type Receiver } from './flow.ts';
import { type FromJob, receivedError, type ToJob, transferError } from './protocol.ts';

/** The thread ended before the job did: out of memory, or a defect. Nothing is known about what the job had done. */
export class ThreadEndedError extends Error {
  constructor(thread: string, cause: unknown) {
    super(`the thread "${thread}" ended before its job`, { cause });
    this.name = 'ThreadEndedError';
  }
}

export interface JobThreadOptions {
  /** for messages and for the list of threads of the operating system */
  name: string;
  /** the module that calls serveJobs */
  entry: URL;
  workerData: unknown;
  /** maximum heap in MiB; above it the thread ends */
  heapMb: number;
  /** receives why a thread ended by itself */
  onError: (error: unknown) => void;
}

const CLOSE_TIMEOUT_MS = 500;

interface Running {
  worker: Worker;
  /** ends each job in progress */
  jobs: Set<(reason: Error) => void>;
}

export type JobThread = ReturnType<typeof createJobThread>;

export function createJobThread(options: JobThreadOptions) {
  let running: Running | undefined;
  let isClosed = false;
  let crashes = 0;

  function thread(): Running {
    if (isClosed) throw new ThreadEndedError(options.name, new Error('the process is stopping'));
    return (running ??= startThread(options, (error) => {
      running = undefined;
      if (!error || isClosed) return;
      crashes++;
      options.onError(error);
    }));
  }

  async function run<Output>(name: string, input: unknown, body?: AsyncIterable<Uint8Array>): Promise<Output> {
    const job = startJob(
      thread(),
      { name, input },
      createReceiver(() => {}),
    );
    const stopPump = pump(job, body ?? NO_BODY);
    try {
      return (await job.done) as Output;
    } catch (error) {
      throw job.bodyError ?? error;
    } finally {
      stopPump();
    }
  }

  return {
    /** Runs a job and returns its result. `body` is streamed to it. Throws what the job throws, or ThreadEndedError. */
    run,
    /** Runs a job that sends its result in chunks. Ending the iteration early cancels the job. */
    async *stream(name: string, input: unknown) {
      const chunks: Receiver = createReceiver((acknowledged) => job.post({ acknowledged }));
      const job = startJob(thread(), { name, input }, chunks);
      job.done.then(
        () => chunks.end(),
        (error: unknown) => chunks.fail(error),
      );
      try {
        yield* chunks;
      } finally {
        job.post({ stop: true });
      }
    },
    /** Starts the thread, so that the first job does not wait for it. */
    start: () => void thread(),
    /** For the metrics: `jobs` in progress, those included that wait inside the thread, and `crashes` since the start. */
    stats: () => ({ isUp: running !== undefined, jobs: running?.jobs.size ?? 0, crashes }),
    /** Cancels the jobs in progress and ends the thread. Later jobs fail. */
    async close() {
      isClosed = true;
      if (!running) return;
      const { worker, jobs } = running;
      for (const end of jobs) end(new ThreadEndedError(options.name, new Error('the process is stopping')));
      // Without it, a process with nothing else to wait for would exit here, with 0.
      worker.ref();
      worker.postMessage('close');
      await Promise.race([once(worker, 'exit'), pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}

/** With V8's default, young objects of a job took 150 MB more, and no less time. With 8, the first job takes 25 % longer. */
const YOUNG_MB = 16;

/** `onEnd` receives the error unless the thread ended in order. */
function startThread(
  { name, entry, workerData, heapMb }: JobThreadOptions,
  onEnd: (error: Error | undefined) => void,
): Running {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(entry, { name, workerData, resourceLimits });
  const running: Running = { worker, jobs: new Set() };
  let cause: unknown;
  worker.on('error', (error) => (cause = error));
  worker.on('exit', (code) => {
    const error = new ThreadEndedError(name, cause ?? new Error(`exit code ${code}`));
    onEnd(cause !== undefined || code !== 0 ? error : undefined);
    for (const end of running.jobs) end(error);
  });
  // Jobs and the server keep the process alive, the idle thread does not.
  worker.unref();
  return running;
}

interface Job {
  done: Promise<unknown>;
  post(message: ToJob, transfer?: ArrayBuffer[]): void;
  acknowledged: (count: number) => void;
  /** the job reads the body */
  wanted: () => void;
  /** the error of the caller's own body */
  bodyError: unknown;
}

function startJob({ worker, jobs }: Running, request: { name: string; input: unknown }, chunks: Receiver): Job {
  const { port1, port2 } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const job: Job = {
    done: promise.finally(() => {
      jobs.delete(reject);
      port1.close();
    }),
    post: (message, transfer = []) => port1.postMessage(message, transfer),
    acknowledged: () => {},
    wanted: () => {},
    bodyError: undefined,
  };
  job.done.catch(() => {});
  port1.on('message', (message: FromJob) => {
    if ('chunk' in message || 'slot' in message) chunks.push(message);
    else if ('acknowledged' in message) job.acknowledged(message.acknowledged);
    else if ('wanted' in message) job.wanted();
    else if ('done' in message) resolve(message.done);
    else reject(receivedError(message.failed));
  });
  jobs.add(reject);
  worker.postMessage({ ...request, port: port2 }, [port2]);
  return job;
}

const NO_BODY: Uint8Array[] = [];

/** Streams the body to the job, when it wants it, until either ends. Returns a function that ends the stream. */
function pump(job: Job, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): () => void {
  const sender = createSender(job.post, MIN_BODY_SLOT_BYTES);
  job.acknowledged = sender.acknowledge;
  const ended = new Error('the job has ended');
  const pumping = async (): Promise<void> => {
    for await (const chunk of body) await sender.send(chunk);
    job.post({ end: true });
  };
  job.wanted = () =>
    void pumping().catch((error: unknown) => {
      if (error === ended) return;
      job.bodyError = error;
      job.post({ failed: transferError(error) });
    });
  return () => sender.stop(ended);
}
