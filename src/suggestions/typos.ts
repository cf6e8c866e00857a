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
  for (const hash of editsOf(path, start)) {
    const spelling = index.spellings.find(hash);
    const candidate = spelling < 0 ? undefined : index.spelled[spelling];
    if (candidate !== undefined) found.add(candidate);
  }
  return [...found];
}

const isLetter = (char: string | undefined): boolean => char !== undefined && char >= 'a' && char <= 'z';

/** The hash of the path with each edit of its name, from `start`. What is before the edit is hashed once. */
function* editsOf(path: string, start: number): Generator<number> {
  let [hash, before] = [hashSpelling(path.slice(0, start)), path.charCodeAt(start - 1)];
  const edit = (text: string, next: number): number =>
    hashSpelling(path, hashSpelling(text, hash, before), text.charCodeAt(text.length - 1) || before, next);
  for (let at = start; at <= path.length; at++) {
    const [letter = '', next] = [path[at], path[at + 1]];
    for (const added of LETTERS) yield edit(added, at);
    if (isLetter(letter)) {
      yield edit('', at + 1);
      for (const other of LETTERS) if (other !== letter) yield edit(other, at + 1);
      if (isLetter(next) && next !== letter) yield edit(`${next}${letter}`, at + 2);
    }
    hash = hashSpelling(letter, hash, before);
    before = path.charCodeAt(at);
  }
}
