/** Trigrams of the words of a path, as in PostgreSQL's pg_trgm: `/Old-shop` has the words `old` and `shop`. */

const SPACE = 32;
const PERCENT = 37;
/** Collisions of hashes change a similarity by at most 0.01. */
export const HASH_BITS = 16;

/** The text of a path or target that is compared: its unescaped path in lower case. */
export function wordsOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  if (!path.includes('%')) return path.toLowerCase();
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return path.toLowerCase();
  }
}

/** Only the start of a path is compared, because requested paths may be long. */
const MAX_COMPARED_LENGTH = 300;

/** Hashes of the trigrams in the first 300 characters of a result of `wordsOf`. */
export function trigramsOf(words: string): Set<number> {
  const found = new Set<number>();
  let previous = SPACE;
  let last = SPACE;
  const length = Math.min(words.length, MAX_COMPARED_LENGTH);
  for (let i = 0; i <= length; i++) {
    const code = wordCharacter(i < length ? words.charCodeAt(i) : SPACE);
    if (code === SPACE && last === SPACE) continue;
    found.add(hashOf(previous, last, code));
    previous = code === SPACE ? SPACE : last;
    last = code;
  }
  return found;
}

/**
 * Adds the `wanted` trigrams of a stored target to `found`, possibly more than once. Five times as fast as
 * `trigramsOf`, because it allocates nothing. False for a target with escapes or non-ASCII characters, which it does
 * not support.
 */
export function collectTrigrams(target: string, wanted: Uint8Array, found: number[]): boolean {
  let previous = SPACE;
  let last = SPACE;
  for (let i = 0; i <= target.length; i++) {
    const raw = i < target.length ? target.charCodeAt(i) : SPACE;
    if (raw === PERCENT || raw > 127) return false;
    const code = wordCharacter(raw >= 65 && raw <= 90 ? raw + 32 : raw);
    if (code === SPACE && last === SPACE) continue;
    const hash = hashOf(previous, last, code);
    if (wanted[hash] === 1) found.push(hash);
    previous = code === SPACE ? SPACE : last;
    last = code;
  }
  return true;
}

/** Jaccard similarity, from 0 to 1. */
export function similarityOf(a: Set<number>, b: Set<number>): number {
  let shared = 0;
  for (const hash of a) if (b.has(hash)) shared++;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** Letters, digits and non-ASCII characters; any other character separates words. */
function wordCharacter(code: number): number {
  const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
  return isWord ? code : SPACE;
}

function hashOf(a: number, b: number, c: number): number {
  return Math.imul((a << 16) ^ (b << 8) ^ c, 0x9e3779b1) >>> (32 - HASH_BITS);
}
