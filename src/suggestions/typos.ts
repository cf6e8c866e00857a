/** Candidates whose name differs from that of a page by one typo: `/contcat` and `/contact`. */
import type { CandidateIndex } from './candidates.ts';
import { cheapSpelling, hashSpelling } from './spelling.ts';

/** One letter of a shorter name makes another word; a longer name shares other words or trigrams. */
const MIN_LENGTH = 5;
const MAX_LENGTH = 24;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * The candidates in the same folder whose name has one letter more, less or another one, or two swapped. Digits stay:
 * `item-1` is not `item-2`. Looks up at most 1,400 spellings, whatever the size of the index.
 */
export function findTypos(index: CandidateIndex, url: string): number[] {
  const path = cheapSpelling(url);
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  if (name.length < MIN_LENGTH || name.length > MAX_LENGTH || name.includes('?')) return [];
  const found = new Set<number>();
  for (const edited of editsOf(name)) {
    const spelling = index.spellings.find(hashSpelling(path.slice(0, start) + edited));
    const candidate = spelling < 0 ? undefined : index.spelled[spelling];
    if (candidate !== undefined) found.add(candidate);
  }
  return [...found];
}

const isLetter = (char: string | undefined): boolean => char !== undefined && char >= 'a' && char <= 'z';

function* editsOf(name: string): Generator<string> {
  for (let at = 0; at <= name.length; at++) {
    const before = name.slice(0, at);
    const after = name.slice(at + 1);
    const [letter, next] = [name[at], name[at + 1]];
    for (const added of LETTERS) yield before + added + name.slice(at);
    if (!isLetter(letter)) continue;
    yield before + after;
    for (const other of LETTERS) if (other !== letter) yield before + other + after;
    if (isLetter(next) && next !== letter) yield before + next + letter + name.slice(at + 2);
  }
}
