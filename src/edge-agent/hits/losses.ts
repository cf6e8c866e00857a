/** Counts hits that are lost, and logs them and the problems of reporting without repeating itself each second. */
import { stopwatch } from '../../platform/clock.ts';

const LOG_EVERY_MS = 60_000;

export type Losses = ReturnType<typeof createLosses>;

export function createLosses(onError: (error: unknown) => void) {
  let total = 0;
  const unlogged = new Map<string, number>();
  let loggedAt = -Infinity;
  const waitingLoggedAt = new Map<string, number>();

  function log(now = false): void {
    if (unlogged.size === 0 || (!now && stopwatch() - loggedAt < LOG_EVERY_MS)) return;
    loggedAt = stopwatch();
    for (const [reason, hits] of unlogged) onError(new Error(`${hits} hits were lost: ${reason}`));
    unlogged.clear();
  }

  return {
    total: () => total,
    /** Logs what was not logged yet, if the last log is a minute old or `now` is true. */
    log,
    /** Adds hits that will never be reported. `reason` completes "N hits were lost: ". */
    add(hits: number, reason: string) {
      if (hits === 0) return;
      total += hits;
      unlogged.set(reason, (unlogged.get(reason) ?? 0) + hits);
      log();
    },
    /** Logs that hits wait on this machine. `reason` completes "hits wait to be reported: ". */
    waiting(reason: string) {
      const now = stopwatch();
      for (const [known, at] of waitingLoggedAt) if (now - at >= LOG_EVERY_MS) waitingLoggedAt.delete(known);
      if (waitingLoggedAt.has(reason)) return;
      waitingLoggedAt.set(reason, now);
      onError(new Error(`hits wait to be reported: ${reason}`));
    },
  };
}
