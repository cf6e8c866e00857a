import { randomInt } from 'node:crypto';

/** Keys are spread over tables that grow one by one, so that growing never blocks the event loop for long. */
const TABLES = 64;
const INITIAL_SLOTS = 1 << 8;

/**
 * A set of texts that stores a 64-bit hash of each: 16 bytes a key for a million keys. Finds the keys that may be
 * repeated, so that only those are checked in the database. It misses no repetition. A false positive (one in 2^40 for
 * a million keys) costs one check. Seeded, so that a client cannot prepare keys that collide.
 */
export function createFingerprintSet() {
  const seed = randomInt(2 ** 31);
  const tables = Array.from({ length: TABLES }, createTable);
  return {
    /** Adds the key. Returns true if the set had it, or one with the same hash. */
    add(key: string): boolean {
      let low = seed;
      let high = ~seed;
      for (let at = 0; at < key.length; at++) {
        const code = key.charCodeAt(at);
        low = Math.imul(low ^ code, 0x01000193);
        high = Math.imul(high + code, 0x85ebca6b) ^ (high >>> 13);
      }
      low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) >>> 0;
      // (0, 0) marks a free slot, so `high` is never 0.
      high = (high ^ (high >>> 16)) >>> 0 || 1;
      return tables[high % TABLES]?.add(low, high) ?? false;
    },
  };
}

/** An open-addressed hash table of 64-bit numbers, each stored as two halves. */
function createTable() {
  let mask = INITIAL_SLOTS - 1;
  let slots = new Uint32Array(INITIAL_SLOTS * 2);
  let size = 0;

  function insert(low: number, high: number): boolean {
    let at = low & mask;
    for (;;) {
      const slotLow = slots[at * 2];
      const slotHigh = slots[at * 2 + 1];
      if (slotLow === 0 && slotHigh === 0) break;
      if (slotLow === low && slotHigh === high) return true;
      at = (at + 1) & mask;
    }
    slots[at * 2] = low;
    slots[at * 2 + 1] = high;
    return false;
  }

  function grow(): void {
    const old = slots;
    mask = mask * 2 + 1;
    slots = new Uint32Array((mask + 1) * 2);
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at] ?? 0;
      const high = old[at + 1] ?? 0;
      if (low !== 0 || high !== 0) insert(low, high);
    }
  }

  return {
    add(low: number, high: number): boolean {
      if (insert(low, high)) return true;
      if (++size * 3 > (mask + 1) * 2) grow();
      return false;
    },
  };
}
