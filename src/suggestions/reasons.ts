/** Why a candidate fits a page, in words for people. */
import { type CandidateIndex, countOf, findWord, IN, PLACE_BITS } from './candidates.ts';
import type { Compared } from './compare.ts';
import type { Page } from './page-words.ts';
import type { Query } from './query.ts';
import { pathOf, toAscii } from './spelling.ts';
import { stemOf } from './words.ts';

/** Reason for two spellings of one page. */
export function spellingReason(differences: readonly string[]): string {
  return differences.length === 0 ? 'same path' : `same path except for ${differences.join(', ')}`;
}

const MAX_WORDS = 5;
const ALIKE = 0.6;

export function reasonsOf(
  index: CandidateIndex,
  query: Query,
  surface: readonly string[],
  { candidate, comparison }: Compared,
) {
  const reasons: string[] = [];
  if (comparison.sameName)
    reasons.push(comparison.tail > 0 ? 'same end of the path' : 'same name at the end of the path');
  if (comparison.sameTitle) reasons.push('same title');
  const shared = sharedWords(index, query, candidate);
  for (const [number, { text, places }] of shared)
    if (places & IN.digits && text.length > 3 && countOf(index, number) === 1)
      reasons.push(`both have ${text}, and no other candidate has it`);
  if (!comparison.sameName && comparison.trigrams >= ALIKE) reasons.push('names are spelled alike');
  if (comparison.above) reasons.push('folder above the page');
  else if (comparison.folderName > 0) reasons.push('has the name of a folder of the page');
  const rarest = surface.filter((word) => shared.has(findWord(index, stemOf(word)))).slice(0, MAX_WORDS);
  if (rarest.length > 0) reasons.push(`words in common: ${rarest.join(', ')}`);
  return reasons;
}

/** Known words of the page that a candidate has. */
function sharedWords(index: CandidateIndex, query: Query, candidate: number): Query['known'] {
  const shared: Query['known'] = new Map();
  for (let at = index.wordEnds[candidate - 1] ?? 0; at < (index.wordEnds[candidate] ?? 0); at++) {
    const number = (index.words[at] ?? 0) >>> PLACE_BITS;
    const word = query.known.get(number);
    if (word) shared.set(number, word);
  }
  return shared;
}

/** Known words as the page writes them, because stems are not for people; the rarest first. */
export function surfaceWords(index: CandidateIndex, { url, title, headline }: Page): string[] {
  const text = toAscii([pathOf(url), title ?? '', headline ?? ''].join(' ').slice(0, 1_000));
  return [...new Set(text.toLowerCase().match(/[a-z0-9]{2,}/g))]
    .map((word): [string, number] => [word, countOf(index, findWord(index, stemOf(word)))])
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => a - b)
    .map(([word]) => word);
}
