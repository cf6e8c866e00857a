import { within } from '../clock.ts';

/** Reads an iterable whose items may arrive slowly, and returns before an item has arrived. */
export function createArrivals<T>(source: AsyncIterable<T>) {
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
    /** Resolves when the next item, the end or an error has arrived. */
    async arrived() {
      await upcoming();
    },
    /** Returns the next item or the end, or undefined if neither arrives within `ms`. Nothing is lost then. */
    async next(ms: number) {
      const item = await within(ms, upcoming(), undefined);
      if (item) pending = undefined;
      return item;
    },
    /** Ends the iteration. Does not wait for an item that has not arrived. */
    close() {
      iterator.return?.(undefined).catch(() => {});
    },
  };
}
