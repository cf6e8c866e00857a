import type { FastifyBaseLogger } from 'fastify';
import { isDatabaseUnavailable } from '../../db/errors.ts';
import { stopwatch } from '../../platform/clock.ts';

/** While the database is unavailable, every request and every loop fails, and a line is written synchronously. */
const OUTAGE_INTERVAL_MS = 1_000;

/** State of this process, which has one log. */
let loggedAt = -Infinity;
let suppressed = 0;

/**
 * Logs an unexpected error in full. Errors of an unavailable database are logged at most once a second; the next line
 * has the number of suppressed ones in `suppressed`.
 */
export function logError(
  log: Pick<FastifyBaseLogger, 'error'>,
  err: unknown,
  message: string,
  fields: Record<string, unknown> = {},
): void {
  if (!isDatabaseUnavailable(err)) return log.error({ err, ...fields }, message);
  if (stopwatch() - loggedAt < OUTAGE_INTERVAL_MS) {
    suppressed++;
    return;
  }
  log.error({ err, ...fields, ...(suppressed > 0 && { suppressed }) }, message);
  loggedAt = stopwatch();
  suppressed = 0;
}
