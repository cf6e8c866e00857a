/** The bounds of a report: one runs at a time, and a page has up to `PAGE` entries of each list. */
import { stopwatch } from '../platform/clock.ts';
import { createKeyedSemaphore, createSemaphore } from '../platform/scheduling/semaphore.ts';
import { busy, type DomainError } from '../vocabulary/error.ts';

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
  const timeout = () => ({ timeoutMs: Math.max(0, deadline - stopwatch()), error: anotherRuns });
  return withAccountMutex(accountId, () => withMutex(work, timeout()), timeout());
}

const anotherRuns = (): DomainError => busy('Another health report or flattening is running; retry in a few seconds');

/** Entries of one list on one page. */
export const PAGE = 1_000;

export interface Entry<T> {
  id: number;
  value: T;
}

export type PageCollector<T> = ReturnType<typeof createPageCollector<T>>;

/** Counts the entries of a list, and retains those of one page: the first by id after `after`. */
export function createPageCollector<T>(after: number) {
  let count = 0;
  let retained: Entry<T>[] = [];
  let lastId = Infinity;
  const trim = (): void => {
    retained.sort((one, other) => one.id - other.id);
    retained = retained.slice(0, PAGE + 1);
    lastId = retained[PAGE]?.id ?? Infinity;
  };
  return {
    get count() {
      return count;
    },
    /** Adds an entry. Ids come in any order. */
    add(id: number, value: T): void {
      count++;
      if (id <= after || id > lastId) return;
      // Sorting once per page of entries keeps the cost per entry small.
      if (retained.push({ id, value }) > 2 * PAGE) trim();
    },
    /** The retained entries by id: one more than a page if there is a next page. */
    entries(): Entry<T>[] {
      trim();
      return retained;
    },
  };
}
