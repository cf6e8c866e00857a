export type BoundedCache<Value> = ReturnType<typeof createBoundedCache<Value>>;

/** A cache of recently used values. Evicts the older half of `maxEntries` at once, which is faster than exact LRU order. */
export function createBoundedCache<Value>(maxEntries: number) {
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
    get(key: string): Value | undefined {
      const value = young.get(key);
      if (value !== undefined) return value;
      const previous = old.get(key);
      if (previous !== undefined) set(key, previous);
      return previous;
    },
    set,
  };
}

/** Returns `compute` for latin1 texts, with a cache of its results for those of at most `maxLength` characters. */
export function cached<Value>(compute: (text: string) => Value, maxEntries: number, maxLength: number) {
  const known = createBoundedCache<Value>(maxEntries);
  return (text: string): Value => {
    const existing = known.get(text);
    if (existing !== undefined) return existing;
    const value = compute(text);
    if (text.length <= maxLength) known.set(detachString(text), value);
    return value;
  };
}

/**
 * Copies a string. A substring keeps the whole original alive: 10,000 short paths could retain 10,000 request lines of
 * 64 KiB. For latin1 text only, such as headers and addresses from Node.js.
 */
export function detachString(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
