/** A page whose target is searched, with what the index knows of its words. */
import { type CandidateIndex, countOf, findKey, findWord, IN, rarityOf } from './candidates.ts';
import { type Page, type PageWords, pageWords } from './page-words.ts';
import { squash } from './spelling.ts';
import { trigramsOf } from './trigrams.ts';
import { stemOf } from './words.ts';

export interface QueryWord {
  text: string;
  places: number;
  rarity: number;
}

export interface Query extends PageWords {
  url: string;
  /** words that candidates have, by number */
  known: Map<number, QueryWord>;
  /** sums of rarity by place, over known and unknown words */
  total: { name: number; folders: number; title: number; description: number };
  /** number of words of the name with digits */
  digits: number;
  /** greatest rarity of a word of the name that no candidate has */
  unknown: number;
  /** number of the key of its name */
  keyNumber: number;
  trigrams: ReadonlySet<number>;
  /** letters and digits of all segments */
  joined: string;
}

export function createQuery(index: CandidateIndex, page: Page): Query {
  const parsed = pageWords(page);
  const words = { ...parsed.words, name: splitCompounds(index, parsed.words.name) };
  const query: Query = {
    ...parsed,
    words,
    url: page.url,
    known: new Map(),
    total: { name: 0, folders: 0, title: 0, description: 0 },
    digits: 0,
    unknown: 0,
    keyNumber: findKey(index, parsed.key),
    joined: squash(parsed.segments.join('')),
    trigrams: new Set(trigramsOf(parsed.key)),
  };
  for (const place of ['name', 'folders', 'title', 'description'] as const)
    for (const text of new Set(words[place])) addWord(index, query, place, text);
  return query;
}

function addWord(index: CandidateIndex, query: Query, place: keyof Query['total'], text: string): void {
  const number = findWord(index, text);
  const rarity = rarityOf(index, number);
  const digits = /\d/.test(text) ? IN.digits : 0;
  query.total[place] += rarity;
  if (place === 'name' && digits) query.digits++;
  if (number < 0) {
    if (place === 'name') query.unknown = rarity;
    return;
  }
  const word = query.known.get(number) ?? { text, places: 0, rarity };
  word.places |= IN[place] | digits;
  query.known.set(number, word);
}

const MIN_PART = 3;

/**
 * Splits a word that no candidate has into two words that candidates have (`listtargets`), and adds two words that
 * candidates write as one.
 */
function splitCompounds(index: CandidateIndex, name: string[]): string[] {
  return name.flatMap((word, i) => {
    const joined = word + (name[i + 1] ?? '');
    const extra = joined.length > word.length + 1 && word.length > 1 && findWord(index, joined) >= 0 ? [joined] : [];
    if (word.length <= 2 * MIN_PART || /\d/.test(word) || findWord(index, word) >= 0) return [word, ...extra];
    let [best, bestCount] = [[word], 0];
    for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
      const parts = [word.slice(0, at), word.slice(at)].map(stemOf);
      const count = Math.min(...parts.map((part) => countOf(index, findWord(index, part))));
      if (count > bestCount) [best, bestCount] = [parts, count];
    }
    return [...best, ...extra];
  });
}
