import { splitTarget } from './canonical-path.ts';
import { requiredPairs } from './query.ts';

/** The fields of a redirect that an answer needs. `key` is what `ruleKey` made of the old path. */
export interface Rule {
  id: number;
  key: string;
  isRegex: boolean;
  /** null for the statuses that have no Location (410, 451) */
  newPath: string | null;
  statusCode: number;
}

/** A target as it is stored, of a rule that may have been removed meanwhile: `stands` tells. */
export interface ListedTarget {
  newPath: string;
  /** It stays on the host, is its own canonical path, and has neither query nor fragment. */
  isPlain: boolean;
  isCurrent: () => boolean;
  key: () => string;
}

/** The options of a website that bear on matching; none of them enters a rule's key. */
export interface MatchOptions {
  caseSensitive: boolean;
  trailingSlash: 'ignore' | 'exact';
  query: 'pass' | 'drop' | 'exact';
}

/** What a rule is matched against. */
export interface MatchRequest {
  /** in canonical form, see `canonicalPath` */
  path: string;
  /** what follows the first `?`, in ASCII as `requestTarget` leaves it; null where there is no `?` */
  query: string | null;
  /** without port, final dot and upper case; an absolute Location can equal the request only where it is given */
  host?: string;
  /** `http` or `https`; where it is given, a Location of the other scheme is another address */
  scheme?: string;
}

/** How a rule met the request, in falling order of precedence; `slash` is a literal whose final slash was ignored. */
export type MatchKind = 'query' | 'exact' | 'slash' | 'pattern';

/** The rule that answers a request, and the Location that it answers with. */
export interface Match {
  id: number;
  key: string;
  statusCode: number;
  location: string | null;
  isRegex: boolean;
  kind: MatchKind;
}

/** A rule that the request meets: at most one of them fired, the first that was not passed over. */
export interface Candidate extends Match {
  /** `self`: its Location is the request itself, so the next one was tried; `beaten`: an earlier one fired */
  outcome: 'fired' | 'self' | 'beaten';
}

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
