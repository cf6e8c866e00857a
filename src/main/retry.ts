import { setTimeout as pause } from 'node:timers/promises';
import { isConnectionError, isReadOnlyError } from '../db/errors.ts';
import { createBackoff } from '../vocabulary/backoff.ts';
import type { Log } from '../platform/log/log.ts';

const FIRST_PAUSE_MS = 50;
/** Short, because edits made meanwhile must be served soon after the database is back. */
const MAX_PAUSE_MS = 250;

/** The schema is older than this program, and another process migrates it. */
export class NotMigratedError extends Error {
  constructor() {
    super('the schema is not migrated');
    this.name = 'NotMigratedError';
  }
}

export interface RetryOptions {
  log: Log;
  /** whether the process has a use without the database: it answers redirects from snapshots */
  mayWait: () => Promise<boolean> | boolean;
  isStopping: () => boolean;
}

/**
 * Repeats `work` while the database is unavailable, with pauses of up to 250 ms. Logs once. Throws any other error, and
 * the first one if the process may not wait.
 */
export async function untilAvailable<T>(
  work: () => Promise<T>,
  { log, mayWait, isStopping }: RetryOptions,
): Promise<T> {
  let isLogged = false;
  const backoff = createBackoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  for (;;) {
    try {
      const result = await work();
      if (isLogged) log.warn('the database is available');
      return result;
    } catch (error) {
      if (isStopping() || !isWorthWaiting(error)) throw error;
      if (!(error instanceof NotMigratedError) && !(await mayWait())) throw error;
      if (!isLogged)
        log.warn({ err: error }, 'waiting for the database; redirects are answered from snapshots, if any');
      isLogged = true;
      await pause(backoff.next());
    }
  }
}

/** A server that starts, stops, has no free connection or is a standby, and one that another process migrates. */
function isWorthWaiting(error: unknown): boolean {
  return error instanceof NotMigratedError || isConnectionError(error) || isReadOnlyError(error);
}
