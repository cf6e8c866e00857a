/** Candidates in typed arrays: their URLs, the words of each, and the candidates of each word. */
import { type Dictionary, hashOf } from './dictionary.ts';
import type { PageWords } from './page-words.ts';
import { pathOf, spellingHash } from './spelling.ts';
import { hasDigit } from './words.ts';

/** Places of a word in a page; a word may have several. `key` marks the key of the name, `digits` an identifier. */
export const IN = { name: 1, folders: 2, title: 4, description: 8, key: 16, digits: 32 } as const;
export const PLACE_BITS = 6;
export const PLACES = (1 << PLACE_BITS) - 1;
const KEY_SEED = 1;
const URL_SEED = 3;

export interface CandidateIndex {
  /** number of candidates */
  size: number;
  /** bytes of all arrays */
  bytes: number;
  /** URLs as UTF-8, one after the other, and where each ends */
  urls: Buffer;
  urlEnds: Uint32Array;
  /** words of each candidate: number of the word << PLACE_BITS | places */
  words: Uint32Array;
  wordEnds: Uint32Array;
  /** candidates of each word: candidate << 1 | 1 if the word is in its name or title */
  postings: Uint32Array;
  postingEnds: Uint32Array;
  dictionary: Dictionary;
  /** the first candidate of each spelling; others by their URL */
  spellings: Dictionary;
  spelled: Uint32Array;
}

export function urlOf(index: CandidateIndex, candidate: number): string {
  return index.urls.toString('utf8', index.urlEnds[candidate - 1] ?? 0, index.urlEnds[candidate] ?? 0);
}

export const findWord = (index: CandidateIndex, word: string): number => index.dictionary.find(hashOf(word));
export const findKey = (index: CandidateIndex, key: string): number =>
  key === '' ? -1 : index.dictionary.find(hashOf(key, KEY_SEED));

/** Number of candidates that have a word. */
export function countOf(index: CandidateIndex, word: number): number {
  return word < 0 ? 0 : (index.postingEnds[word] ?? 0) - (index.postingEnds[word - 1] ?? 0);
}

/** Rarity of a word (IDF): greatest for a word that no candidate has. */
export function rarityOf(index: CandidateIndex, word: number): number {
  return Math.log((index.size + 2) / (countOf(index, word) + 1));
}

export const urlHash = (url: string): number => hashOf(pathOf(url), URL_SEED);

/** The candidate with exactly this path and query; else one of another spelling; -1 if none. */
export function findSpelling(index: CandidateIndex, url: string): number {
  for (const hash of [urlHash(url), spellingHash(url)]) {
    const found = index.spellings.find(hash);
    if (found >= 0) return index.spelled[found] ?? -1;
  }
  return -1;
}

/** A word of a page: its hash, and the place that says whether it is an identifier. */
interface HashedWord {
  hash: number;
  digits: number;
}

const hashedWord = (word: string): HashedWord => ({ hash: hashOf(word), digits: hasDigit(word) ? IN.digits : 0 });

/** The folders of the last page, as those of pageWords: hashed once for all pages of a folder. */
let last: { words: readonly string[]; hashed: HashedWord[] } = { words: [], hashed: [] };

function hashedFolders(words: readonly string[]): HashedWord[] {
  if (words !== last.words) last = { words, hashed: words.map(hashedWord) };
  return last.hashed;
}

/** Each word of a page once: hashes, and the places of each. Arrays, because a Map costs more for so few. */
export function placedWords({ words, key }: PageWords): { hashes: number[]; places: number[] } {
  const hashes: number[] = [];
  const places: number[] = [];
  const add = ({ hash, digits }: HashedWord, place: number): void => {
    const at = hashes.indexOf(hash);
    if (at >= 0) places[at] = (places[at] ?? 0) | place;
    else {
      hashes.push(hash);
      places.push(place | digits);
    }
  };
  for (const word of words.name) add(hashedWord(word), IN.name);
  for (const word of hashedFolders(words.folders)) add(word, IN.folders);
  for (const word of words.title) add(hashedWord(word), IN.title);
  for (const word of words.description) add(hashedWord(word), IN.description);
  if (key !== '') {
    hashes.push(hashOf(key, KEY_SEED));
    places.push(IN.key);
  }
  return { hashes, places };
}
