/** Reads an iterable whose items may arrive slowly, and returns before an item has arrived. */
export interface Arrivals<T> {
  /** Resolves when the next item, the end or an error has arrived. */
  arrived(): Promise<void>;
  /** Returns the next item or the end, or undefined if neither arrives within `ms`. Nothing is lost then. */
  next(ms: number): Promise<IteratorResult<T> | undefined>;
  /** Ends the iteration. Does not wait for an item that has not arrived. */
  close(): void;
}

export function createArrivals<T>(source: AsyncIterable<T>): Arrivals<T> {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<T>> | undefined;

  function upcoming(): Promise<IteratorResult<T>> {
    if (!pending) {
      pending = iterator.next();
      // An error may arrive while no call waits for it.
      pending.catch(() => {});
    }
    return pending;
  }

  return {
    async arrived() {
      await upcoming();
    },
    async next(ms) {
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), ms);
      const item = await Promise.race([upcoming(), late.promise]).finally(() => clearTimeout(timer));
      if (item) pending = undefined;
      return item;
    },
    close() {
      iterator.return?.(undefined).catch(() => {});
    },
  };
}
