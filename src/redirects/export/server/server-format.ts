import type { Environment } from '../../../vocabulary/environment.ts';
import type { Website } from '../../../websites/website.ts';

/** A rule as a server's configuration can have it. Paths are canonical, so ASCII without space, quote, backslash and braces. */
export type ServerRule = LiteralServerRule | PatternServerRule;

interface RuleBase {
  id: string;
  oldPath: string;
  statusCode: number;
}

export interface LiteralServerRule extends RuleBase {
  kind: 'literal';
  /** the paths that it answers: its own, and the one with or without final slash where the website ignores it */
  paths: string[];
  /** null for 410 and 451 */
  target: LocationText | null;
  /** another rule's path is one of these but for the case of its letters */
  hasCaseTwin: boolean;
}

/** A Location, ASCII without spaces, cut before its fragment: the request's query goes in between. */
export interface LocationText {
  base: string;
  /** with its `#`, or empty */
  fragment: string;
}

export interface PatternServerRule extends RuleBase {
  kind: 'pattern';
  /** what the whole canonical path must match, without anchors; all groups that catch are `(`, numbered */
  expression: string;
  groups: number;
  /** text and group numbers; null for 410 and 451 */
  target: (string | number)[] | null;
}

/** What a file is made for. */
export interface ServerSite {
  website: Website;
  environment: Environment;
  /** hostnames of that environment */
  hosts: string[];
  exportedAt: string;
}

/** Why a rule cannot be said in a format. */
export interface Inexpressible {
  reason: string;
}

export interface ServerFormat {
  /** the product, for messages */
  name: string;
  /** whether patterns can be said at all, and in which dialect of regular expressions */
  patterns: 'none' | 'pcre' | 're2';
  /** why nothing of this website can be said, undefined where it can */
  refuseSite?: (site: ServerSite) => string | undefined;
  head: (site: ServerSite) => string;
  rule: (rule: ServerRule, site: ServerSite) => string | Inexpressible;
  /** a line that says nothing to the server; `text` is one line of printable ASCII */
  comment: (text: string) => string;
  separator: string;
  tail: (site: ServerSite) => string;
}
