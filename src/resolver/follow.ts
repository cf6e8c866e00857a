/** Follows redirects hop by hop, as a browser does, as far as the given rules answer. */
import { parseLocation } from './location.ts';
import type { Match, MatchOptions, MatchRequest } from './rule.ts';
import type { Ruleset } from './ruleset.ts';

export interface Step {
  request: MatchRequest;
  match: Match;
  /** the request for the match's Location; undefined if it has none, or if the Location is on another host */
  next: MatchRequest | undefined;
}

/**
 * Walks from a request along its redirects, lazily, until no rule matches or a Location leaves the own hosts. A loop
 * never ends: the caller stops. `isOwnHost` receives hosts in lower case without the default port of their scheme.
 */
export function* walkHops(
  match: (request: MatchRequest) => Match | undefined,
  start: MatchRequest,
  isOwnHost: (host: string) => boolean,
): Generator<Step, void, void> {
  for (let request: MatchRequest | undefined = start; request;) {
    const found = match(request);
    if (!found) return;
    const next: MatchRequest | undefined =
      found.location === null ? undefined : nextRequest(request, found.location, isOwnHost);
    yield { request, match: found, next };
    request = next;
  }
}

export interface Hop {
  ruleId: number;
  key: string;
  statusCode: number;
  location: string | null;
  /** the requested address: canonical path and raw query */
  url: string;
}

export interface Journey {
  hops: Hop[];
  /**
   * `end`: no rule matches the last address; `gone`: a rule without target does; `external`: it is on another host;
   * `loop`: it was requested before; `too-many`: there are more hops than the limit.
   */
  outcome: 'end' | 'loop' | 'too-many' | 'gone' | 'external';
  /** the last address, or the repeated one: path and query on an own host, the whole Location on another */
  finalUrl: string;
}

/**
 * Follows the redirects from a request to their end, at most `maxHops`. See `walkHops` for `isOwnHost`. Yields after
 * each hop, because a hop may cost 10 ms if the website has patterns.
 */
export function* followHops(
  ruleset: Pick<Ruleset, 'match'>,
  start: MatchRequest,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
  maxHops = 20,
): Generator<undefined, Journey, undefined> {
  const hops: Hop[] = [];
  const visited = new Set([requestKey(start)]);
  let url = addressOf(start);
  for (const { match, next } of walkHops((request) => ruleset.match(request, options), start, isOwnHost)) {
    if (hops.length === maxHops) return { hops, outcome: 'too-many', finalUrl: url };
    const { id, key, statusCode, location } = match;
    hops.push({ ruleId: id, key, statusCode, location, url });
    if (location === null) return { hops, outcome: 'gone', finalUrl: url };
    if (!next) return { hops, outcome: 'external', finalUrl: location };
    url = addressOf(next);
    const place = requestKey(next);
    if (visited.has(place)) return { hops, outcome: 'loop', finalUrl: url };
    visited.add(place);
    yield;
  }
  return { hops, outcome: 'end', finalUrl: url };
}

/** The hops that repeat in a journey with the outcome `loop`; undefined for any other. */
export function loopOf({ hops, outcome, finalUrl }: Journey): Hop[] | undefined {
  return outcome === 'loop' ? hops.slice(hops.findIndex(({ url }) => url === finalUrl)) : undefined;
}

/** Path and query of a request. */
export const addressOf = ({ path, query }: MatchRequest): string => (query === null ? path : `${path}?${query}`);

/** Identity of a request, with scheme and host if known: a walk that reaches the same key again is in a loop. */
export const requestKey = (request: MatchRequest): string =>
  `${request.scheme ?? ''}//${request.host ?? ''}${addressOf(request)}`;

/**
 * The request that a browser sends for a Location, with scheme and host if `request` has; undefined on another host.
 */
export function nextRequest(
  request: MatchRequest,
  location: string,
  isOwnHost: (host: string) => boolean,
): MatchRequest | undefined {
  const { scheme, host, path, query } = parseLocation(location);
  if (host === undefined) return { ...request, path, query };
  if (!isOwnHost(host)) return undefined;
  const next: MatchRequest = { path, query };
  if (request.host !== undefined) next.host = host;
  if (request.scheme !== undefined && scheme !== undefined) next.scheme = scheme;
  return next;
}
