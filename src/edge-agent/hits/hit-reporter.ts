/**
 * Reports the hits of a process without a database to the service, which counts each once. Hits are in memory for at
 * most a second, then on disk until the service has accepted them: a process that is killed loses the last second.
 */
import { randomBytes } from 'node:crypto';
import type { Request } from '../../hits/count/request-batch.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { type BufferLimits, createHitBuffer } from './hit-buffer.ts';
import { createHitSender } from './hit-sender.ts';
import { createLosses } from './losses.ts';
import type { HitsEndpoint } from './send-batch.ts';
import { createSpool } from './spool.ts';

/** Totals since the start, and what waits. */
export interface HitReporterStats {
  recorded: number;
  /** hits that the service has accepted, those of former starts included */
  reported: number;
  /** hits that will never be reported; each is logged */
  lost: number;
  /** bytes of hits that wait on disk */
  spooledBytes: number;
  /** why the last request to the service failed; null after a success */
  problem: string | null;
}

export interface HitReporterOptions {
  endpoint: HitsEndpoint;
  /** the name of this agent */
  agent: string;
  /** the folder for the batches of this endpoint; no other process may use it */
  dir: string;
  clock: Clock;
  /** receives what was lost and why, and why hits wait; the same reason at most once a minute */
  onError: (error: unknown) => void;
  limits?: Partial<HitReporterLimits>;
}

export interface HitReporterLimits extends BufferLimits {
  /** how often hits in memory are stored */
  writeEveryMs: number;
  /** how often a batch is completed and sent; a full one is sent earlier */
  sendEveryMs: number;
  /** see SpoolOptions */
  abandonedMs: number;
  /** the pause after a failed request; further failures double it up to a minute */
  minPauseMs: number;
}

const DEFAULT_LIMITS: HitReporterLimits = {
  writeEveryMs: 1_000,
  sendEveryMs: 5_000,
  maxMemoryBytes: 16 * 1024 * 1024,
  maxSpoolBytes: 256 * 1024 * 1024,
  maxBatchHits: 4_000,
  maxBatchBytes: 768 * 1024,
  abandonedMs: 15_000,
  minPauseMs: 1_000,
};

export type HitReporter = ReturnType<typeof createHitReporter>;

export function createHitReporter(options: HitReporterOptions) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { endpoint, agent, dir, clock, onError } = options;
  const series = randomBytes(8).toString('hex');
  const spool = createSpool({ dir, series, clock, abandonedMs: limits.abandonedMs });
  const losses = createLosses(onError);
  const buffer = createHitBuffer(spool, losses, limits, clock);
  const sender = createHitSender({ endpoint, agent, spool, losses, clock, minPauseMs: limits.minPauseMs });
  const stopping = new AbortController();
  let recorded = 0;
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let sending: Promise<void> | undefined;

  const failed = (error: unknown): void => losses.waiting(error instanceof Error ? error.message : String(error));

  async function store(): Promise<void> {
    await buffer.write().catch(failed);
    // While the service is away, hits go on joining the same batch, so that there are few files.
    if (!sending && sender.pauseMs() === 0 && buffer.batchAge() >= limits.sendEveryMs) await spool.complete();
  }

  const send = (): Promise<void> =>
    (sending ??= sender
      .sendAll(stopping.signal)
      .catch(failed)
      .finally(() => (sending = undefined)));

  async function tick(): Promise<void> {
    const began = stopwatch();
    await store().catch(failed);
    if (stopping.signal.aborted) return;
    if (sender.pauseMs() === 0) void send();
    losses.log();
    timer = setTimeout(next, Math.max(0, limits.writeEveryMs - (stopwatch() - began)));
  }
  const next = (): void => void (storing = tick());

  return {
    /** Counts a request at the present time. Synchronous; only touches memory; never throws. */
    record(request: Request) {
      recorded++;
      buffer.add(request);
    },
    start: next,
    stats: () => ({
      recorded,
      reported: sender.reported(),
      lost: losses.total(),
      spooledBytes: spool.bytes(),
      problem: sender.problem(),
    }),
    /** Stores what is in memory, and reports for at most `timeoutMs`. The rest stays on disk for the next start. */
    async stop(timeoutMs: number) {
      await storing;
      clearTimeout(timer);
      const deadline = setTimeout(() => stopping.abort(), timeoutMs);
      await buffer.write().catch(failed);
      await spool.complete().catch(failed);
      await sending;
      await send();
      clearTimeout(deadline);
      stopping.abort();
      losses.log(true);
    },
  };
}
