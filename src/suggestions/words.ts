/** Words of a text: stems in lower case, and the parts of compounds. */
import { stemmer } from 'stemmer';

/** More words say nothing more about a page. */
const MAX_WORDS = 48;
const MAX_LENGTH = 48;

/** Most words: without parts, and without the cost of looking for them. */
const SIMPLE = /^([a-z]+|\d+)$/;

/** Words of an ASCII text. `nsIEventItem` gives itself, `event` and `item`; `report2010` also `report` and `2010`. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const word of text.match(/[A-Za-z0-9]+/g) ?? []) {
    if (words.length >= MAX_WORDS) break;
    words.push(stemOf(word));
    if (SIMPLE.test(word)) continue;
    const parts = word.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
    if (parts.length === 1) continue;
    for (const part of parts) if (part.length > (/\d/.test(part) ? 3 : 2)) words.push(stemOf(part));
  }
  return words;
}

const MAX_STEMS = 100_000;
const stems = new Map<string, string>();

/** Lower-case stem by Porter's rules; words with digits are identifiers and keep their end. */
export function stemOf(word: string): string {
  if (word.length < 4 || hasDigit(word)) return word.slice(0, MAX_LENGTH).toLowerCase();
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size > MAX_STEMS) stems.clear();
  const stem = stemmer(word.slice(0, MAX_LENGTH));
  stems.set(word, stem);
  return stem;
}

/** Most words are short: the loop takes a third of the time of a regular expression. */
export function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}
