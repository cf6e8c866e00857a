/** The worker processes of the cluster: starts them, restarts those that end, and passes calls between them. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryCounter, type RequestCounter } from '../http/shares/rate-limit-counter.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { channelTo, createPeer, type IpcHandlers, type Peer } from '../platform/process/ipc.ts';
import { STOP_TIMES } from '../platform/process/stop-times.ts';
import { type Backoff, createBackoff } from '../vocabulary/backoff.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';
import type { Log } from '../platform/log/log.ts';
import { createClusterMetrics } from './cluster-metrics.ts';

/** A worker that lives longer starts again without a pause; otherwise the pauses double. */
const STABLE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** The prepared database, and whether the demo website of the first start is not live yet. */
export interface ProvidedDatabase {
  url: DatabaseUrl;
  isFirstStart: boolean;
}

interface Running {
  worker: Worker;
  peer: Peer;
  isReady: boolean;
}

export function startWorkers({ config, log }: { config: Config; log: Log }) {
  const running = new Set<Running>();
  const opened = Promise.withResolvers<boolean>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // awaited only after the database is prepared
  const counter = memoryCounter();
  const metrics = createClusterMetrics(() => [...running]);
  let database: ProvidedDatabase | undefined;
  let isStopping = false;

  function start(backoff: Backoff): void {
    const startedAt = stopwatch();
    const { worker, peer } = fork(config.port, {
      opened: (servesSnapshots: boolean) => opened.resolve(servesSnapshots),
      isReplacement: () => database !== undefined,
      ready: () => becomeReady(self),
      failed: (reason: string) => fail(reason, worker.id),
      count: (counted: Parameters<RequestCounter['count']>) => counter.count(...counted),
      metrics: () => metrics.read(),
    });
    const self: Running = { worker, peer, isReady: false };
    running.add(self);
    worker.on('error', (err) => log.error({ err, worker: worker.id }, 'a worker process could not be reached'));
    worker.once('exit', (code: number | null, signal: string | null) => {
      running.delete(self);
      peer.close(new Error('the process ended'));
      if (!isStopping) restart({ worker: worker.id, code, signal }, stopwatch() - startedAt, backoff);
    });
    if (database) void peer.call('database', database).catch(() => {});
  }

  function restart(ended: object, livedMs: number, backoff: Backoff): void {
    const pauseMs = pauseAfter(livedMs, backoff);
    log.error({ ...ended, pauseMs }, 'a worker process ended; another one replaces it');
    metrics.countRestart();
    // Unless the process is stopping by then.
    setTimeout(() => void (isStopping || start(backoff)), pauseMs).unref();
  }

  function becomeReady(self: Running): void {
    self.isReady = true;
    if ([...running].filter(({ isReady }) => isReady).length >= config.processes) ready.resolve();
  }

  /** After the first start, the reason is logged, and the worker is restarted when it has ended. */
  function fail(reason: string, worker: number): void {
    log.error({ worker, reason }, 'a worker process cannot start');
    ready.reject(new Error(reason));
  }

  // A second signal ends this process at once.
  process.on('exit', () => killAll(running));
  for (let i = 0; i < config.processes; i++) start(createBackoff(FIRST_PAUSE_MS, MAX_PAUSE_MS));
  return {
    /** Resolves to whether workers answer redirects from snapshots, when the first one knows. */
    serveSnapshots: opened.promise,
    /** Resolves when all workers answer all requests. Rejects if one reports before that it cannot start. */
    ready: ready.promise,
    /** Tells the workers that the database is prepared, and again when the demo website is live. */
    provideDatabase(provided: ProvidedDatabase) {
      database = provided;
      void callAll(running, 'database', provided);
    },
    /** Resolves when every worker serves the versions that are live in the database now. */
    resynchronise: () => callAll(running, 'resynchronise'),
    /** Stops all workers within 9.1 s. */
    async stop() {
      isStopping = true;
      await stopAll(running);
    },
  };
}

function fork(port: number, handlers: IpcHandlers): { worker: Worker; peer: Peer } {
  const worker = cluster.fork({ PORT: String(port) });
  return { worker, peer: createPeer(channelTo(worker.process), handlers) };
}

/** A worker that ends does not answer. */
async function callAll(running: Set<Running>, method: string, argument?: object): Promise<void> {
  await Promise.allSettled([...running].map(({ peer }) => peer.call(method, argument)));
}

async function stopAll(running: Set<Running>): Promise<void> {
  const ends = Promise.all([...running].map(({ worker }) => once(worker, 'exit')));
  void callAll(running, 'stop');
  await Promise.race([ends, pause(STOP_TIMES.workers, undefined, { ref: false })]);
  killAll(running);
  await ends;
}

function killAll(running: Set<Running>): void {
  for (const { worker } of running) worker.process.kill('SIGKILL');
}

function pauseAfter(livedMs: number, backoff: Backoff): number {
  if (livedMs <= STABLE_MS) return backoff.next();
  backoff.reset();
  return 0;
}
