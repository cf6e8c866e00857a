import { directionParts } from '../../ui/text/path-parts.ts';

/** The characters of a text from `begin` to `end`. */
export interface Part {
  begin: number;
  end: number;
}

/** Letters and digits that belong together, or any other character. */
const WORDS = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gu;

/** A segment that is written from right to left stays whole, because its parts would change their order. */
const wordsOf = (text: string): string[] =>
  directionParts(text).flatMap(({ text: part, isIsolated }) => (isIsolated ? [part] : (part.match(WORDS) ?? [])));

/**
 * The part of each text that differs from the other one, in whole words: all but the beginning and the end that both
 * have. It is empty in a text that only lacks something, and in equal texts.
 */
export function changedParts(before: string, after: string): { before: Part; after: Part } {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const partOf = (text: string, words: string[]): Part => ({
    begin: words.slice(0, head).join('').length,
    end: text.length - words.slice(words.length - tail).join('').length,
  });
  return { before: partOf(before, a), after: partOf(after, b) };
}
