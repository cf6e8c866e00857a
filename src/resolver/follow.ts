/** Where a request ends when every redirect is followed, as a browser would, as far as this ruleset answers. */
import { locationAddress } from './location-address.ts';
import type { MatchOptions, MatchRequest } from './rule.ts';
import type { Ruleset } from './ruleset.ts';

/** One redirect on the way: the rule, and the address that it answered for. */
export interface Hop {
  ruleId: number;
  key: string;
  statusCode: number;
  location: string | null;
  /** the address that was asked for: canonical path and raw query */
  url: string;
}

export interface Journey {
  hops: Hop[];
  /**
   * `end`: no rule answers the last address; `gone`: a rule without target does; `external`: it is on another host; `loop`: it was there
   * before; `too-many`: there were more hops than were to be followed.
   */
  outcome: 'end' | 'loop' | 'too-many' | 'gone' | 'external';
  /** the address where it ends, or that comes back: path and query on the own host, the whole Location on another */
  finalUrl: string;
}

/**
 * Follows the hops from a request to their end, at most `maxHops`. `isOwnHost` says of a host (lower case, its scheme's own port left
 * out) whether this ruleset answers for it; a Location there is followed like one without host.
 */
export function followHops(
  ruleset: Pick<Ruleset, 'match'>,
  start: MatchRequest,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
  maxHops = 20,
): Journey {
  const hops: Hop[] = [];
  const seen = new Set<string>();
  let request = start;
  for (;;) {
    const url = addressOf(request);
    const place = placeOf(request);
    if (seen.has(place)) return { hops, outcome: 'loop', finalUrl: url };
    seen.add(place);
    const match = ruleset.match(request, options);
    if (!match) return { hops, outcome: 'end', finalUrl: url };
    if (hops.length === maxHops) return { hops, outcome: 'too-many', finalUrl: url };
    const { id, key, statusCode, location } = match;
    hops.push({ ruleId: id, key, statusCode, location, url });
    if (location === null) return { hops, outcome: 'gone', finalUrl: url };
    const next = nextRequest(request, location, isOwnHost);
    if (!next) return { hops, outcome: 'external', finalUrl: location };
    request = next;
  }
}

const addressOf = ({ path, query }: MatchRequest): string => (query === null ? path : `${path}?${query}`);

/** A change of scheme or host is no loop, where these are known. */
const placeOf = (request: MatchRequest): string =>
  `${request.scheme ?? ''}//${request.host ?? ''}${addressOf(request)}`;

/**
 * The request that a browser sends for a Location that was the answer to `request`; undefined where it goes to a host that this ruleset
 * does not answer for. Scheme and host are known of the next one where they were of this one.
 */
export function nextRequest(
  request: MatchRequest,
  location: string,
  isOwnHost: (host: string) => boolean,
): MatchRequest | undefined {
  const { scheme, host, path, query } = locationAddress(location);
  if (host === undefined) return { ...request, path, query };
  if (!isOwnHost(host)) return undefined;
  const next: MatchRequest = { path, query };
  if (request.host !== undefined) next.host = host;
  if (request.scheme !== undefined && scheme !== undefined) next.scheme = scheme;
  return next;
}
