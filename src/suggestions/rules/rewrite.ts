/** Meanings of a decision for other URLs: start and end of the path are replaced, the text between stays. */
import { canonicalPath } from '../../resolver/spelling/canonical-path.ts';

/** `oldStart` + text + `oldEnd` becomes `newStart` + text + `newEnd`. */
export interface Rewrite {
  oldStart: string;
  oldEnd: string;
  newStart: string;
  newEnd: string;
  /** The old texts are in the form for comparing without case. */
  isFolded: boolean;
}

const TOKEN = /(?:[A-Za-z0-9]|%[0-9A-F]{2})+|[^]/g;
/** Comparing two texts takes the product of their tokens. */
const MAX_TOKENS = 200;

/** A target with a canonical path. Query and fragment stay, and so does an address with a host. */
export function canonicalTarget(target: string): string {
  if (!target.startsWith('/')) return target;
  const end = target.search(/[?#]/);
  return end < 0 ? canonicalPath(target) : canonicalPath(target.slice(0, end)) + target.slice(end);
}

/**
 * The rewrites that explain a decision: one that keeps the longest common end, and one that keeps the longest common
 * part. Both keep whole words. None if nothing stays, or if a path has more than 200 words and separators.
 */
export function rewritesOf(path: string, target: string): Rewrite[] {
  const [old, next] = [path.match(TOKEN) ?? [], target.match(TOKEN) ?? []];
  if (old.length > MAX_TOKENS || next.length > MAX_TOKENS) return [];
  const parts = [commonEnd(old, next), longestCommonPart(old, next)];
  const found = parts.flatMap((part) => rewriteAround(old, next, part) ?? []);
  return found.filter((one, i) => i === 0 || one.oldStart !== found[0]?.oldStart || one.oldEnd !== found[0].oldEnd);
}

/** Indexes of the tokens after a common part, and their number. */
interface Part {
  oldEnd: number;
  newEnd: number;
  length: number;
}

function commonEnd(old: string[], next: string[]): Part {
  let length = 0;
  while (length < Math.min(old.length, next.length) && old.at(-1 - length) === next.at(-1 - length)) length++;
  return { oldEnd: old.length, newEnd: next.length, length };
}

/** The longest in characters; the last of several. */
function longestCommonPart(old: string[], next: string[]): Part {
  let best: Part = { oldEnd: 0, newEnd: 0, length: 0 };
  let bestCharacters = 0;
  let before: { length: number; characters: number }[] = [];
  for (const [i, token] of old.entries()) {
    const row: typeof before = [];
    for (const [j, other] of next.entries()) {
      if (token !== other) continue;
      const length = (before[j - 1]?.length ?? 0) + 1;
      const characters = (before[j - 1]?.characters ?? 0) + token.length;
      row[j] = { length, characters };
      if (characters < bestCharacters) continue;
      best = { oldEnd: i + 1, newEnd: j + 1, length };
      bestCharacters = characters;
    }
    before = row;
  }
  return best;
}

const isWord = (token: string | undefined): boolean => token !== undefined && /^[A-Za-z0-9%]/.test(token);

/** The kept part begins after a separator, which belongs to both starts, and ends with a word. */
function rewriteAround(old: string[], next: string[], part: Part): Rewrite | undefined {
  let { oldEnd, newEnd, length } = part;
  while (length > 0 && !isWord(old[oldEnd - 1]) && oldEnd < old.length) {
    oldEnd--;
    newEnd--;
    length--;
  }
  if (length > 0 && !isWord(old[oldEnd - length])) length--;
  const kept = old.slice(oldEnd - length, oldEnd);
  if (!kept.some(isWord)) return undefined;
  const rewrite = {
    oldStart: old.slice(0, oldEnd - length).join(''),
    oldEnd: old.slice(oldEnd).join(''),
    newStart: next.slice(0, newEnd - length).join(''),
    newEnd: next.slice(newEnd).join(''),
    isFolded: false,
  };
  // The kept text must not become a host, and the rewrite must change something.
  const isSafe = /^(?:\/(?![/\\])|https:\/\/[^/?#\\]+\/)/i.test(`${rewrite.newStart}x`);
  const isChange = rewrite.oldStart !== rewrite.newStart || rewrite.oldEnd !== rewrite.newEnd;
  return isSafe && isChange && rewrite.oldStart.startsWith('/') ? rewrite : undefined;
}
