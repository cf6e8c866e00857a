/** Sends complete batches to the service, oldest first, until each is accepted. */
import { type Clock, DAY_MS, stopwatch } from '../../platform/clock.ts';
import { createBackoff, spread } from '../../vocabulary/backoff.ts';
import type { Losses } from './losses.ts';
import { type HitsEndpoint, sendBatch, type SendOutcome } from './send-batch.ts';
import type { Spool, SpooledBatch } from './spool.ts';

interface SenderOptions {
  endpoint: HitsEndpoint;
  agent: string;
  spool: Spool;
  losses: Losses;
  clock: Clock;
  /** the pause after the first failure; each further one doubles it */
  minPauseMs: number;
}

/** The service forgets a series 30 days after its last batch, and would then count a batch twice. */
const MAX_BATCH_AGE_MS = 25 * DAY_MS;
const MAX_PAUSE_MS = 60_000;
/** An error names at most 20 invalid hits; a batch with more than a few is wrong as a whole. */
const MAX_CORRECTIONS = 5;

export function createHitSender({ endpoint, agent, spool, losses, clock, minPauseMs }: SenderOptions) {
  let reported = 0;
  let problem: string | null = null;
  const backoff = createBackoff(minPauseMs, MAX_PAUSE_MS);
  let pausedUntil = 0;

  function fail({ reason, afterMs }: Extract<SendOutcome, { kind: 'failed' }>): void {
    problem = reason;
    losses.waiting(reason);
    pausedUntil = stopwatch() + Math.max(afterMs ?? 0, spread(backoff.next()));
  }

  /** Sends the batch without the hits that the service rejects. */
  async function deliver(batch: SpooledBatch, lines: string[], signal: AbortSignal): Promise<SendOutcome> {
    const name = { agent, series: batch.series, batch: batch.batch };
    let left = lines;
    for (let corrections = 0; ; corrections++) {
      const outcome = await sendBatch(endpoint, name, left, signal);
      if (outcome.kind === 'accepted') reported += left.length;
      if (outcome.kind !== 'rejected') return outcome;
      const invalid = new Set(outcome.lines);
      const isWhole = invalid.size === 0 || corrections === MAX_CORRECTIONS;
      const valid = isWhole ? [] : left.filter((_, position) => !invalid.has(position));
      losses.add(left.length - valid.length, outcome.reason);
      if (valid.length === 0) return outcome;
      left = valid;
    }
  }

  /** Returns false if the batch stays. */
  async function send(batch: SpooledBatch, signal: AbortSignal): Promise<boolean> {
    const { lines, damaged } = await spool.read(batch);
    const isTooOld = clock.now().getTime() - batch.writtenAt > MAX_BATCH_AGE_MS;
    if (isTooOld) losses.add(lines.length, 'the service could not be reached for 25 days');
    else if (lines.length > 0) {
      const outcome = await deliver(batch, lines, signal);
      if (outcome.kind === 'failed') {
        if (!signal.aborted) fail(outcome);
        return false;
      }
      backoff.reset();
      problem = null;
    }
    losses.add(damaged, 'the process ended while it stored them, or their file is damaged');
    await spool.remove(batch);
    return true;
  }

  return {
    reported: () => reported,
    problem: () => problem,
    /** Milliseconds until the next try may be made; 0 unless the last one failed. */
    pauseMs: () => Math.max(0, pausedUntil - stopwatch()),
    /** Sends all complete batches, until one fails. Call it once at a time. */
    async sendAll(signal: AbortSignal) {
      for (const batch of await spool.list()) {
        if (signal.aborted || !(await send(batch, signal))) return;
      }
    },
  };
}
