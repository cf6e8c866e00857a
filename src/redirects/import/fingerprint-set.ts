import { randomInt } from 'node:crypto';

/** A set of texts that remembers 64 bits of each and not the text: 16 bytes a key for a million of them. */
export interface FingerprintSet {
  /** Adds the key; true where it, or one with the same 64 bits, was there already. */
  add(key: string): boolean;
}

/** Tables that the keys are spread over: each grows by itself, so that growing never holds the event loop for long. */
const TABLES = 64;
const START = 1 << 8;

/**
 * Says which keys may have come before, so that only those need a second look in the database. It never misses a repetition; a false
 * alarm (one in 2^40 for a million keys) costs a look. Seeded, so that nobody can prepare keys that collide.
 */
export function createFingerprintSet(): FingerprintSet {
  const seed = randomInt(2 ** 31);
  const tables = Array.from({ length: TABLES }, createTable);
  return {
    add(key) {
      let low = seed;
      let high = ~seed;
      for (let at = 0; at < key.length; at++) {
        const code = key.charCodeAt(at);
        low = Math.imul(low ^ code, 0x01000193);
        high = Math.imul(high + code, 0x85ebca6b) ^ (high >>> 13);
      }
      low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) >>> 0;
      // (0, 0) marks a free slot.
      high = (high ^ (high >>> 16)) >>> 0 || 1;
      return tables[high % TABLES]?.add(low, high) ?? false;
    },
  };
}

/** An open-addressed table of 64-bit numbers in two halves. */
function createTable(): { add(low: number, high: number): boolean } {
  let mask = START - 1;
  let slots = new Uint32Array(START * 2);
  let size = 0;

  function insert(low: number, high: number): boolean {
    let at = low & mask;
    for (;;) {
      const there = slots[at * 2];
      const above = slots[at * 2 + 1];
      if (there === 0 && above === 0) break;
      if (there === low && above === high) return true;
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
    add(low, high) {
      if (insert(low, high)) return true;
      if (++size * 3 > (mask + 1) * 2) grow();
      return false;
    },
  };
}
