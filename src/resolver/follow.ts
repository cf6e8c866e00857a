/** Follows redirects hop by hop, as a browser does, as far as the given rules answer. */
import { splitTarget } from './spelling/canonical-path.ts';
import { parseLocation } from './location.ts';
import { domainLocation, type OwnHosts } from './own-hosts.ts';
import type { Match, MatchOptions, MatchRequest, Rule } from './rule.ts';
import type { Ruleset } from './ruleset.ts';

export interface Step extends Omit<Arrival, 'location'> {
  request: MatchRequest;
  match: Match;
  /** of the match or of the last domain redirect; null if the match has none */
  location: string | null;
}

/** A request that a domain redirect of an own host answers. */
export interface DomainHop {
  url: string;
  statusCode: number;
  location: string;
}

/** The request that a browser sends for a Location in the end. */
export interface Arrival {
  /** the domain redirects on the way, in order */
  via: DomainHop[];
  /** the request to a host that serves rules; undefined on another host */
  next: MatchRequest | undefined;
  /** the Location, or that of the last domain redirect */
  location: string;
}

/**
 * Walks from a request to a host that serves rules along its redirects, lazily, until no rule matches or a Location
 * leaves the own hosts. A loop never ends: the caller stops.
 */
export function* walkHops(
  match: (request: MatchRequest) => Match | undefined,
  start: MatchRequest,
  hosts: OwnHosts,
): Generator<Step, void, void> {
  for (let request: MatchRequest | undefined = start; request;) {
    const found = match(request);
    if (!found) return;
    const arrival: Partial<Arrival> = found.location === null ? {} : arriveAt(request, found.location, hosts);
    const { via = [], next, location = null } = arrival;
    yield { request, match: found, via, next, location };
    request = next;
  }
}

/** A longer chain of domain redirects is a loop, which websites.storeHosts rejects. */
const MAX_DOMAINS = 50;

/**
 * Follows a Location over the domain redirects of own hosts. The next request has scheme and host if `request` has, or
 * if a domain redirect was on the way.
 */
export function arriveAt(request: MatchRequest, location: string, hosts: OwnHosts): Arrival {
  const via: DomainHop[] = [];
  for (;;) {
    const { scheme, host, path, query } = parseLocation(location);
    if (host === undefined) return { via, next: { ...request, path, query }, location };
    const to = via.length < MAX_DOMAINS ? hosts.redirectAt(host) : undefined;
    if (!to) {
      if (!hosts.servesRules(host)) return { via, next: undefined, location };
      const next: MatchRequest = { path, query };
      if (request.host !== undefined) next.host = host;
      if (request.scheme !== undefined && scheme !== undefined) next.scheme = scheme;
      return { via, next, location };
    }
    const target = domainLocation(to, path, query);
    via.push({ url: location, statusCode: to.statusCode, location: target });
    location = target;
  }
}

/**
 * Returns whether a literal rule redirects to its own address by a host that serves the rules. The match skips the
 * redirect on this host, and every other host redirects there.
 */
export function isOwnAddress(
  { key, isRegex, newPath }: Pick<Rule, 'key' | 'isRegex' | 'newPath'>,
  servesRules: (host: string) => boolean,
): boolean {
  if (isRegex || newPath === null || newPath.startsWith('/')) return false;
  const { host, path, query } = parseLocation(newPath);
  return host !== undefined && servesRules(host) && addressOf({ path, query }) === addressOf(splitTarget(key));
}

/** As arriveAt, for a first request: it may be to a host with a domain redirect. */
export function arriveFirst(start: MatchRequest, hosts: OwnHosts): Arrival {
  const { scheme = 'https', host } = start;
  if (host === undefined || !hosts.redirectAt(host)) return { via: [], next: start, location: '' };
  return arriveAt(start, `${scheme}://${host}${addressOf(start)}`, hosts);
}

export interface Hop {
  /** null for a domain redirect */
  ruleId: number | null;
  /** empty for a domain redirect */
  key: string;
  statusCode: number;
  location: string | null;
  /** present if the rule has a window */
  isScheduled?: true;
  /** the requested address: canonical path and raw query; of a domain redirect the whole URL */
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
 * Follows the redirects from a request to their end, at most `maxHops`. Yields after each hop, because a hop may cost
 * 10 ms if the website has patterns.
 */
export function* followHops(
  ruleset: Pick<Ruleset, 'match'>,
  start: MatchRequest,
  options: MatchOptions,
  hosts: OwnHosts,
  maxHops = 20,
): Generator<undefined, Journey, undefined> {
  const hops: Hop[] = [];
  const tooMany = (finalUrl: string): Journey => ({ hops: hops.slice(0, maxHops), outcome: 'too-many', finalUrl });
  const first = arriveFirst(start, hosts);
  hops.push(...first.via.map(domainHop));
  if (!first.next) return { hops, outcome: 'external', finalUrl: first.location };
  const visited = new Set([requestKey(first.next)]);
  let url = addressOf(first.next);
  const steps = walkHops((request) => ruleset.match(request, options), first.next, hosts);
  for (const { match, via, next, location } of steps) {
    if (hops.length >= maxHops) return tooMany(url);
    const { id, key, statusCode } = match;
    const scheduled = match.window && { isScheduled: true as const };
    hops.push({ ruleId: id, key, statusCode, location: match.location, url, ...scheduled }, ...via.map(domainHop));
    if (location === null) return { hops, outcome: 'gone', finalUrl: url };
    if (hops.length > maxHops) return tooMany(hops[maxHops]?.url ?? url);
    if (!next) return { hops, outcome: 'external', finalUrl: location };
    url = addressOf(next);
    const place = requestKey(next);
    if (visited.has(place)) return { hops, outcome: 'loop', finalUrl: url };
    visited.add(place);
    yield;
  }
  return { hops, outcome: 'end', finalUrl: url };
}

const domainHop = (hop: DomainHop): Hop => ({ ruleId: null, key: '', ...hop });

/** The hops that repeat in a journey with the outcome `loop`; undefined for any other. */
export function loopOf({ hops, outcome, finalUrl }: Journey): Hop[] | undefined {
  return outcome === 'loop' ? hops.slice(hops.findIndex(({ url }) => url === finalUrl)) : undefined;
}

/** Path and query of a request. */
export const addressOf = ({ path, query }: MatchRequest): string => (query === null ? path : `${path}?${query}`);

/** Identity of a request, with scheme and host if known: a walk that reaches the same key again is in a loop. */
export const requestKey = (request: MatchRequest): string =>
  `${request.scheme ?? ''}//${request.host ?? ''}${addressOf(request)}`;
