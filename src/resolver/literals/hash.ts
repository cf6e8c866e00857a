/**
 * HalfSipHash-1-3 over four characters at a time. The random key of each ruleset prevents attacks with colliding paths.
 * The last two bits of a tag are its type: `BY_KEY`, `BY_FOLD` or `BY_PAIR`.
 */

/** A secret of two signed 32-bit numbers. */
export interface HashKey {
  readonly low: number;
  readonly high: number;
}

export function randomHashKey(): HashKey {
  const [low = 0, high = 0] = crypto.getRandomValues(new Int32Array(2));
  return { low, high };
}

/** Types of tags: a rule by key; rules with upper-case letters by folded path; rules with a required query pair. */
export const BY_KEY = 0;
export const BY_FOLD = 1;
export const BY_PAIR = 2;

/** Returns the tag of a text. `salt` varies the hash: for a pair it is the tag of the path. */
export function tagOf({ low, high }: HashKey, text: string, type: number, salt: number): number {
  const length = text.length;
  const words = length >> 2;
  let v0 = low ^ salt;
  let v1 = high;
  let v2 = low ^ 0x6c796765;
  let v3 = high ^ 0x74656462;
  // One loop for the words, the last word with the length, and three final rounds.
  for (let i = 0; i < words + 4; i++) {
    const word = i <= words ? wordAt(text, i << 2, i < words ? 4 : length & 3, length) : 0;
    if (i === words + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (((v1 ^ v3) & ~3) | type) >>> 0;
}

function wordAt(text: string, at: number, count: number, length: number): number {
  if (count === 4) {
    return (
      text.charCodeAt(at) |
      (text.charCodeAt(at + 1) << 8) |
      (text.charCodeAt(at + 2) << 16) |
      (text.charCodeAt(at + 3) << 24)
    );
  }
  let word = length << 24;
  for (let k = 0; k < count; k++) word |= text.charCodeAt(at + k) << (8 * k);
  return word;
}
