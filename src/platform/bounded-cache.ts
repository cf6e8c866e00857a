/** A cache of recently used values with a maximum size. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Evicts the older half of `maxEntries` at once, which is faster than exact LRU order. */
export function createBoundedCache<Value>(maxEntries: number): BoundedCache<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function set(key: string, value: Value): void {
    if (young.size >= maxEntries / 2) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const previous = old.get(key);
      if (previous !== undefined) set(key, previous);
      return previous;
    },
    set,
  };
}
