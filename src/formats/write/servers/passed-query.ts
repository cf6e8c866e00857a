/**
 * The query of a request beside the query of a target: a parameter whose name the target has is not passed on. Servers
 * remove such parameters with one expression, which is in the common part of PCRE and RE2.
 */
import { canonicalName, rawParameters } from '../../../resolver/spelling/query.ts';
import type { Inexpressible, NameSets } from './server-format.ts';

/** Apache has nine groups: these, the rest of the query, and two for the target of a pattern. */
const MAX_REMOVED = 6;
const KEPT_GROUPS = MAX_REMOVED + 1;

/** Servers try the expressions one by one. */
const MAX_SETS = 200;

/** Returns the canonical names in the query of a target; none without a query. */
export function ownNames(base: string): string[] | Inexpressible {
  const mark = base.indexOf('?');
  if (mark < 0) return [];
  if (/[?&]$/.test(base)) return { reason: 'its target ends with ? or &' };
  return [...new Set(rawParameters(base.slice(mark + 1)).map(canonicalName))].sort();
}

/**
 * An expression for the whole text `&` and query. Its KEPT_GROUPS groups are together the text to append to a target
 * that has these names. Removes up to 6 parameters. `open` begins a capturing group.
 */
export function keptQuery(names: string[], open: (group: number) => string = () => '('): string {
  const own = `&+(?:${names.map(anySpelling).join('|')})(?:=[^&]*)?`;
  const removed = Array.from({ length: MAX_REMOVED }, (_, at) => `(?:${open(at + 1)}(?:&+[^&]+)*?)${own})?`);
  return `${removed.join('')}${open(KEPT_GROUPS)}(?:&+[^&]+)*)&*`;
}

/** Text with a value for each group, such as `%1%2`. */
export const keptText = (write: (group: number) => string): string =>
  Array.from({ length: KEPT_GROUPS }, (_, at) => write(at + 1)).join('');

/** An expression for every spelling of a canonical name or value, except of non-ASCII text in other normalization forms. */
export function anySpelling(text: string): string {
  return text.replace(/%([0-9A-F]{2})|[^]/g, (character, hex?: string) => {
    const code = hex === undefined ? character.charCodeAt(0) : parseInt(hex, 16);
    const escaped = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    const escape = escaped.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
    if (character === '%20') return `(?:\\+|${escape})`;
    if (/%(?:22|3C|3E|5C|60|7B|7D)/.test(character)) return `(?:\\x${character.slice(1)}|${escape})`;
    const raw = hex === undefined || /%(?:5B|5D|7C|5E)/.test(character) ? String.fromCharCode(code) : undefined;
    return raw === undefined ? escape : `(?:${raw.replace(/[^\w~!,;:@/'-]/, '\\$&')}|${escape})`;
  });
}

export const TOO_MANY_SETS: Inexpressible = {
  reason: `the queries of targets have over ${MAX_SETS} different sets of names`,
};

export function createNameSets(): NameSets {
  const sets = new Map<string, { number: number; names: string[] }>();
  return {
    numberOf(names) {
      const key = names.join('&');
      const found = sets.get(key);
      if (found || sets.size >= MAX_SETS) return found?.number;
      sets.set(key, { number: sets.size, names });
      return sets.size - 1;
    },
    all: () => Array.from(sets.values(), ({ names }) => names),
  };
}
