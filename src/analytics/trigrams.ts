/** Trigrams of the words of a path, as PostgreSQL's pg_trgm cuts them: `/Old-shop` has the words `old` and `shop`. */

const SPACE = 32;
const PERCENT = 37;
/** Two trigrams may share a hash: seldom enough that a similarity is off by a hundredth at most. */
export const HASH_BITS = 16;

/** What of a path or target is compared: its path without escapes, in lower case. */
export function wordsOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  if (!path.includes('%')) return path.toLowerCase();
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return path.toLowerCase();
  }
}

/** More of a path is not compared: what was asked for can be long without end, and its beginning tells what it is. */
const COMPARED = 300;

/** The hashes of the trigrams of what `wordsOf` gave, of its first 300 characters. */
export function trigramsOf(words: string): Set<number> {
  const found = new Set<number>();
  let before = SPACE;
  let last = SPACE;
  const length = Math.min(words.length, COMPARED);
  for (let i = 0; i <= length; i++) {
    const code = wordCharacter(i < length ? words.charCodeAt(i) : SPACE);
    if (code === SPACE && last === SPACE) continue;
    found.add(hashOf(before, last, code));
    before = code === SPACE ? SPACE : last;
    last = code;
  }
  return found;
}

/**
 * Puts the trigrams of a stored target that are `wanted` into `met`, some of them more than once, and makes nothing else of it: all that
 * nearly every target needs, in a fifth of the time. False for a target that cannot be read so (escapes, other scripts).
 */
export function meetTrigrams(target: string, wanted: Uint8Array, met: number[]): boolean {
  let before = SPACE;
  let last = SPACE;
  for (let i = 0; i <= target.length; i++) {
    const raw = i < target.length ? target.charCodeAt(i) : SPACE;
    if (raw === PERCENT || raw > 127) return false;
    const code = wordCharacter(raw >= 65 && raw <= 90 ? raw + 32 : raw);
    if (code === SPACE && last === SPACE) continue;
    const hash = hashOf(before, last, code);
    if (wanted[hash] === 1) met.push(hash);
    before = code === SPACE ? SPACE : last;
    last = code;
  }
  return true;
}

/** The share of the trigrams of either that both have, from 0 to 1. */
export function similarityOf(a: Set<number>, b: Set<number>): number {
  let both = 0;
  for (const hash of a) if (b.has(hash)) both++;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}

/** Letters, digits and whatever is not ASCII; everything else parts words. */
function wordCharacter(code: number): number {
  const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
  return isWord ? code : SPACE;
}

function hashOf(a: number, b: number, c: number): number {
  return Math.imul((a << 16) ^ (b << 8) ^ c, 0x9e3779b1) >>> (32 - HASH_BITS);
}
