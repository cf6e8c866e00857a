import { splitTarget } from './spelling/canonical-path.ts';
import { requiredPairs } from './spelling/query.ts';
import type { Window } from './window.ts';

/** The fields of a redirect that matching needs. `key` is the result of `ruleKey` for the old path. */
export interface Rule {
  id: number;
  key: string;
  isRegex: boolean;
  /** null for statuses without Location (410, 451) */
  newPath: string | null;
  statusCode: number;
  /** undefined: the rule always exists */
  window?: Window | undefined;
}

/** A stored target. `isCurrent` is false if its rule is removed. */
export interface ListedTarget {
  newPath: string;
  /** names its rule to `Ruleset.keyAt` */
  reference: number;
  /** true for a canonical path on the same host, without query and fragment */
  isPlain: boolean;
  isCurrent(): boolean;
  key(): string;
}

/** The matching options of a website. Keys of rules do not depend on them. */
export interface MatchOptions {
  caseSensitive: boolean;
  trailingSlash: 'ignore' | 'exact';
  query: 'pass' | 'drop' | 'exact';
}

export interface MatchRequest {
  /** canonical, see `canonicalPath` */
  path: string;
  /** the text after the first `?`, as `requestTarget` returns it; null without a `?` */
  query: string | null;
  /** lower case, without port and final dot; without it, an absolute Location never redirects to itself */
  host?: string;
  /** `http` or `https`; with it, a Location with the other scheme does not redirect to itself */
  scheme?: string | undefined;
}

/** How a rule matches, in descending precedence. `slash`: a literal whose final slash is ignored. */
export type MatchKind = 'query' | 'exact' | 'slash' | 'pattern';

/** The winning rule, and the Location of the response. */
export interface Match {
  id: number;
  key: string;
  statusCode: number;
  location: string | null;
  isRegex: boolean;
  kind: MatchKind;
  window?: Window | undefined;
  /** when the response to the request may change because a window begins or ends; undefined: not by that */
  validUntil?: number | undefined;
}

/** A rule that matches the request. At most one wins. */
export interface Candidate {
  id: number;
  wins: boolean;
  /** The match with its Location, which may take milliseconds for a pattern. Undefined for an invalid pattern. */
  read(): CandidateMatch | undefined;
}

export interface CandidateMatch extends Match {
  /** `fired`: wins; `self`: redirects to the request itself and is skipped; `beaten`: another rule has precedence */
  outcome: 'fired' | 'self' | 'beaten';
}

/**
 * Returns the key of a rule, which is unique within a website. For a literal: its canonical path and, after a `?`, its
 * required pairs, each once and in byte order. For a pattern: its text. The key of a literal is its own key.
 */
export function ruleKey(oldPath: string, isRegex: boolean): string {
  if (isRegex) return oldPath;
  const { path, query } = splitTarget(oldPath);
  const pairs = requiredPairs(query);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Splits the key of a literal into its canonical path and its required pairs. */
export function parseKey(key: string): { path: string; pairs: string[] } {
  const mark = key.indexOf('?');
  return mark < 0 ? { path: key, pairs: [] } : { path: key.slice(0, mark), pairs: key.slice(mark + 1).split('&') };
}
