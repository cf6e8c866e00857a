/** A bound on the time that work waits for a permit: after `timeoutMs` it is rejected with what `error` returns. */
export interface AcquireTimeout {
  timeoutMs: number;
  error: () => Error;
  /** rejects at once if this many wait for the key already */
  maxWaiting?: number;
}

interface Permits {
  held: number;
  waiting: (() => void)[];
}

/**
 * Runs at most `permits` units of work at a time for each key, in FIFO order; different keys do not wait for each
 * other. A permit passes directly to the next in line. Without `timeout` the wait is unbounded. With one permit this is
 * a keyed mutex.
 */
export function createKeyedSemaphore<Key>(
  permits: number,
): <T>(key: Key, work: () => Promise<T>, timeout?: AcquireTimeout) => Promise<T> {
  const keys = new Map<Key, Permits>();

  return async (key, work, timeout) => {
    const state = keys.get(key) ?? { held: 0, waiting: [] };
    keys.set(key, state);
    if (state.held < permits) state.held++;
    else await acquire(state.waiting, timeout);
    try {
      return await work();
    } finally {
      const next = state.waiting.shift();
      if (next) next();
      else if (--state.held === 0) keys.delete(key);
    }
  };
}

/** As createKeyedSemaphore, for work that ends elsewhere: resolves to the function that releases the permit. */
export function createKeyedPermits<Key>(permits: number): (key: Key, timeout: AcquireTimeout) => Promise<() => void> {
  const withPermit = createKeyedSemaphore<Key>(permits);
  return (key, timeout) =>
    new Promise((acquired, reject) => {
      const untilReleased = (): Promise<void> => new Promise((release) => acquired(release));
      withPermit(key, untilReleased, timeout).catch(reject);
    });
}

/** Runs at most `permits` units of work at a time, in FIFO order. See createKeyedSemaphore. */
export function createSemaphore(permits: number): <T>(work: () => Promise<T>, timeout?: AcquireTimeout) => Promise<T> {
  const withPermit = createKeyedSemaphore<null>(permits);
  return (work, timeout) => withPermit(null, work, timeout);
}

function acquire(waiting: (() => void)[], timeout: AcquireTimeout | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (timeout && waiting.length >= (timeout.maxWaiting ?? Infinity)) return reject(timeout.error());
    const timer = timeout && setTimeout(expire, timeout.timeoutMs);
    function grant(): void {
      clearTimeout(timer);
      resolve();
    }
    function expire(): void {
      waiting.splice(waiting.indexOf(grant), 1);
      if (timeout) reject(timeout.error());
    }
    waiting.push(grant);
  });
}
