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
  stands: () => boolean;
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
