import { randomInt } from 'node:crypto';

/** The place of a statement: the phase in which its server tries it, its number in the file, and its line. */
export interface Place {
  phase: number;
  number: number;
  line: number;
}

/** The first place of each path of a file. */
export interface FirstLines {
  add(path: string, place: Place): void;
  /** The line of the statement with this path that the server tries before `place`, or undefined. */
  find(path: string, place: Place): number | undefined;
}

/** A place is one number: the phase, the number of the statement (21 bits) and the line (29 bits). */
const LINES = 2 ** 29;
const STATEMENTS = 2 ** 21;

const packed = ({ phase, number, line }: Place): number =>
  (phase * STATEMENTS + Math.min(number, STATEMENTS - 1)) * LINES + Math.min(line, LINES - 1);

/**
 * Stores a 53-bit hash and a number for each path: 50 MB for a million. Two of a million different paths have the same
 * hash in one file of 18,000. Seeded, so that a file cannot be made to collide.
 */
export function createFirstLines(): FirstLines {
  const seed = randomInt(2 ** 31);
  const places = new Map<number, number>();
  return {
    add(path, place) {
      const key = hash(path, seed);
      const known = places.get(key);
      const value = packed(place);
      if (known === undefined || value < known) places.set(key, value);
    },
    find(path, place) {
      const first = places.get(hash(path, seed));
      return first === undefined || first >= packed(place) ? undefined : first % LINES;
    },
  };
}

function hash(text: string, seed: number): number {
  let low = seed;
  let high = ~seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high + code, 0x85ebca6b) ^ (high >>> 13);
  }
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) >>> 0;
  return ((high ^ (high >>> 16)) & 0x1fffff) * 2 ** 32 + low;
}
