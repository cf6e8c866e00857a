import { askedUrl } from '../../asked-url.ts';
import { shownPath } from './path-parts.ts';

/** A text with the parts marked that a search matched, ignoring case. */
export function Marked({ text, search }: { text: string; search: string }) {
  return markedParts(text, search).map(({ part, isMatch }, at) => (isMatch ? <mark key={at}>{part}</mark> : part));
}

export interface MarkedPart {
  part: string;
  isMatch: boolean;
}

/**
 * Splits a displayed text at the matches of a search: the whole search in the spelling that the text has, otherwise each
 * of its words.
 */
export function markedParts(text: string, search: string): MarkedPart[] {
  const wholes = spellingsOf(search.trim());
  const words = wholes.flatMap((whole) => whole.split(/\s+/)).filter((word) => word !== '');
  if (words.length === 0) return text === '' ? [] : [{ part: text, isMatch: false }];
  const found = wholes.find((whole) => pattern([whole]).test(text));
  return text
    .split(pattern(found === undefined ? [...new Set(words)] : [found]))
    .map((part, at) => ({ part, isMatch: at % 2 === 1 }))
    .filter(({ part }) => part !== '');
}

/** The search as typed, decoded, with escaped spaces, and the path of a URL: each of them finds redirects. */
function spellingsOf(search: string): string[] {
  const typed = [search, askedUrl(search, [], undefined)?.path ?? ''].filter((text) => text !== '' && text !== '/');
  const texts = search === '/' ? ['/'] : typed;
  return [...new Set(texts.flatMap((text) => [text, shownPath(text).text, text.replaceAll(' ', '%20')]))];
}

const pattern = (words: string[]): RegExp =>
  new RegExp(`(${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`, 'i');

/** The parts of `text` between two positions. */
export function partsBetween(parts: readonly MarkedPart[], from: number, to: number): MarkedPart[] {
  let at = 0;
  return parts.flatMap(({ part, isMatch }) => {
    const start = at;
    at += part.length;
    const inside = part.slice(Math.max(0, from - start), Math.max(0, to - start));
    return inside === '' ? [] : [{ part: inside, isMatch }];
  });
}

const EXCERPT_BEFORE = 24;
const EXCERPT_LENGTH = 90;

/** The text around the first match, on one line. */
export function excerptOf(text: string, search: string): string {
  const line = text.replace(/\s+/g, ' ');
  const at = Math.max(0, line.toLowerCase().indexOf(search.trim().toLowerCase()) - EXCERPT_BEFORE);
  const isCut = at + EXCERPT_LENGTH < line.length;
  return `${at > 0 ? '…' : ''}${line.slice(at, at + EXCERPT_LENGTH)}${isCut ? '…' : ''}`;
}
