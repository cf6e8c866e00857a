import { createSemaphore } from '../platform/semaphore.ts';
import { DomainError } from '../vocabulary/error.ts';

const TIMEOUT_MS = 10_000;

const withMutex = createSemaphore(1);

/**
 * Runs one health report or flattening at a time in this process, in FIFO order: the bounds on its time and memory hold
 * for one. Throws BUSY after `timeoutMs`.
 */
export function withHealthLock<T>(work: () => Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  return withMutex(work, { timeoutMs, error: busy });
}

function busy(): DomainError {
  const details = 'Another health report or flattening is running; retry in a few seconds';
  return new DomainError('BUSY', 'The service is busy', { details, retryAfter: 5 });
}
