import { splitTarget } from './canonical-path.ts';
import { requiredPairs } from './query.ts';

/**
 * What is unique within a website. Of a literal: its canonical path and, after a `?`, the pairs that it requires, each once and in
 * byte order; of a pattern: its text. The options of the website do not enter it. A literal's key is its own key.
 */
export function ruleKey(oldPath: string, isRegex: boolean): string {
  if (isRegex) return oldPath;
  const { path, query } = splitTarget(oldPath);
  const pairs = requiredPairs(query);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** A literal's key taken apart. Names and values stay in canonical escapes; a name written without `=` has the value ''. */
export function parseKey(key: string): { path: string; pairs: [name: string, value: string][] } {
  const mark = key.indexOf('?');
  if (mark < 0) return { path: key, pairs: [] };
  const pairs = key
    .slice(mark + 1)
    .split('&')
    .map((pair): [string, string] => {
      const sign = pair.indexOf('=');
      return sign < 0 ? [pair, ''] : [pair.slice(0, sign), pair.slice(sign + 1)];
    });
  return { path: key.slice(0, mark), pairs };
}
