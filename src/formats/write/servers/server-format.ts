import type { MatchOptions } from '../../../resolver/rule.ts';
import type { Environment } from '../../../vocabulary/environment.ts';

/** A redirect for one environment, as server formats read it. */
export interface TargetedRule {
  id: string;
  key: string;
  oldPath: string;
  newPath: string | null;
  statusCode: number;
  isRegex: boolean;
  /** it has a window */
  isScheduled: boolean;
  /**
   * Keys of other literals that differ from this one only by a final slash or by the case of ASCII letters. With a
   * required query: two paths of this group with one, if it has several.
   */
  companions: string[];
}

/**
 * A rule as a server's configuration can express it. Paths are canonical: ASCII without space, quote, backslash and
 * braces.
 */
export type ServerRule = LiteralServerRule | PatternServerRule;

export interface LiteralServerRule {
  kind: 'literal';
  statusCode: number;
  /** the paths that it matches: its own, and the one with or without a final slash if the website ignores it */
  paths: string[];
  /** null for 410 and 451 */
  target: LocationText | null;
  /** the canonical pair that the request's query must have, and which is not passed on */
  required?: string;
  /** names in the query of the target, which the request's query must not repeat; none if queries are not passed */
  ownNames: string[];
  /** another rule's path differs from one of these only by case */
  hasCaseTwin: boolean;
}

/** A Location (ASCII without spaces), split before its fragment, where the query of the request goes. */
export interface LocationText {
  base: string;
  /** with its `#`, or empty */
  fragment: string;
}

export interface PatternServerRule {
  kind: 'pattern';
  statusCode: number;
  /** an expression for the whole canonical path, without anchors; capturing groups are numbered, not named */
  expression: string;
  groups: number;
  /** text and group numbers; null for 410 and 451 */
  target: (string | number)[] | null;
  /** as for a literal */
  ownNames: string[];
}

/** The website and environment of a file. */
export interface ServerSite {
  website: MatchOptions & { id: number };
  environment: Environment;
  /** hosts and wildcards that serve the rules of that environment */
  hosts: string[];
  /** the names of all hosts of the website */
  ownHosts: { has(host: string): boolean };
  /** in words; without the time of the export, so that an unchanged state gives an equal file */
  state: string;
}

/** The sets of names in the queries of a file's targets, numbered in their order. */
export interface NameSets {
  /** undefined if the file has too many sets */
  numberOf(names: string[]): number | undefined;
  all(): string[][];
}

/** The reason why a format cannot express a rule. */
export interface Inexpressible {
  reason: string;
}

export interface ServerFormat {
  name: string;
  /** the dialect of its regular expressions */
  patterns: 'none' | 'pcre' | 're2';
  /** does not load a configuration with two equal expressions, such as those of `/a.*` and `^/a.*` */
  rejectsEqualPatterns?: boolean;
  /** the reason why the format cannot express this website's options */
  siteProblem?: (site: ServerSite) => string | undefined;
  head?: (site: ServerSite) => string;
  /** between the rules with a required query, which are first, and the others */
  between?: (site: ServerSite) => string;
  rule: (rule: ServerRule, site: ServerSite, sets: NameSets) => string | Inexpressible;
  /** a line that the server ignores; `text` is one line of printable ASCII */
  comment: (text: string) => string;
  separator?: string;
  tail?: (site: ServerSite, sets: NameSets) => string;
}
