import { stopwatch } from '../platform/clock.ts';
import { createKeyedSemaphore, createSemaphore } from '../platform/scheduling/semaphore.ts';
import { DomainError } from '../vocabulary/error.ts';

const TIMEOUT_MS = 10_000;

const withAccountMutex = createKeyedSemaphore<number>(1);
const withMutex = createSemaphore(1);

/**
 * Runs one health report or flattening at a time in this process, in FIFO order: the bounds on its time and memory hold
 * for one. An account waits with one at a time, so that another waits for one of each account at most. Throws BUSY after
 * `timeoutMs` in all.
 */
export function withHealthLock<T>(accountId: number, work: () => Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  const deadline = stopwatch() + timeoutMs;
  const timeout = () => ({ timeoutMs: Math.max(0, deadline - stopwatch()), error: busy });
  return withAccountMutex(accountId, () => withMutex(work, timeout()), timeout());
}

function busy(): DomainError {
  const details = 'Another health report or flattening is running; retry in a few seconds';
  return new DomainError('BUSY', 'The service is busy', { details, retryAfter: 5 });
}
