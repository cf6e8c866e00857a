/** Signals, uncaught errors and the exit of a process that was started from the command line. */
import closeWithGrace from 'close-with-grace';
import { stopwatch } from '../platform/clock.ts';
import { errorSummary } from '../platform/log/error-summary.ts';
import type { Log } from '../platform/log/log.ts';
import { STOP_TIMES } from '../platform/process/stop-times.ts';

/** Time to stop the embedded database when there is nothing left to write. */
const DATABASE_STOP_MS = 500;

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** On SIGTERM and SIGINT, stops everything and exits with 0; on a second signal, exits at once with 1. */
export function createLifecycle(log: Log) {
  let stopServing: () => Promise<unknown> = async () => {};
  let stopDatabase: (leftMs: number) => Promise<unknown> = async () => {};
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const deadline = stopwatch() + STOP_TIMES.process - 2 * DATABASE_STOP_MS;
    await stopServing();
    log.level = 'fatal'; // The database now closes connections that are still open, which is not an error.
    await stopDatabase(Math.max(deadline - stopwatch(), DATABASE_STOP_MS));
  }

  const isStopping = (): boolean => stopping !== undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll());
  closeWithGrace({ delay: STOP_TIMES.process, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'uncaught error; the process exits');
    await stop();
  });
  return {
    isStopping,
    /** Sets how to stop answering requests. Replaces the previous function. */
    stopServingWith: (stopIt: () => Promise<unknown>) => void (stopServing = stopIt),
    stopDatabaseWith: (stopIt: (leftMs: number) => Promise<unknown>) => void (stopDatabase = stopIt),
    stop,
    /** Runs the start. If it fails, prints one line and exits with 1. */
    async run(start: () => Promise<void>) {
      try {
        await start();
      } catch (error) {
        // A start that fails because of a stop signal is not an error.
        if (isStopping()) return;
        console.error(`detour: ${errorSummary(error)}`);
        await stop();
        process.exit(1);
      }
    },
  };
}
