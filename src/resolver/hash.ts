/**
 * The hash of the literal table: HalfSipHash-1-3 over four characters at a time, keyed with numbers drawn once in a process, so that
 * nobody can write paths that all fall on the same slot. The last two bits of a tag say what it is the tag of.
 */
const [KEY_0 = 0, KEY_1 = 0] = crypto.getRandomValues(new Uint32Array(2));

/** What a slot leads to: the rule with this key; rules with upper case by their folded path; rules that require a pair. */
export const BY_KEY = 0;
export const BY_FOLD = 1;
export const BY_PAIR = 2;

/** The tag of a text for one kind of slot; `salt` makes another hash of it, such as the tag of the path that a pair belongs to. */
export function tagOf(text: string, kind: number, salt: number): number {
  const length = text.length;
  const words = length >> 2;
  let v0 = KEY_0 ^ salt;
  let v1 = KEY_1;
  let v2 = KEY_0 ^ 0x6c796765;
  let v3 = KEY_1 ^ 0x74656462;
  // One loop for the words, the rest with the length, and the three closing rounds, so that the round stands here once.
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
  return (((v1 ^ v3) & ~3) | kind) >>> 0;
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
