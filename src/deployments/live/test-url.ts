import { canonicalPath, splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { followHops, type Journey } from '../../resolver/follow.ts';
import { createTimeSlice, runInSlices } from '../../platform/scheduling/time-slice.ts';
import type { OwnHosts } from '../../resolver/own-hosts.ts';
import type { CandidateMatch, Match, MatchRequest } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';
import type { LiveSite } from './live-registry.ts';
import { ownHosts } from './site-registry.ts';

/** The rules of an environment to try URLs against. A live site is one. */
export interface TestedSite extends Pick<LiveSite, 'site' | 'environment'> {
  /** `version` is null for the current rules, which no version has yet */
  rules: { ruleset: Ruleset; version: number | null };
}

export interface TestedAddress {
  environment: Environment;
  /** null for the current rules */
  version: number | null;
  path: string;
  query: string | null;
  at: Date;
  /** the live rules that match, in order of precedence, at most 101; the one with the outcome `fired` wins */
  matches: CandidateMatch[];
  /** rules that match and do not win, of which `matches` has the first 100 */
  beatenCount: number;
  /** the rule that would win if all windows were open, if that is another one */
  inactive: Match | undefined;
  followed: Journey;
  /** the target of paths that no rule matches; null for a 404 */
  fallbackUrl: string | null;
}

/**
 * Returns the edge's response to an address at a time: the matching rules and the hops to the end. `url` is a path, or a
 * URL on one of the website's hosts in this environment. Throws INVALID_PARAMETER at `url` for any other.
 */
export async function testAddress(live: TestedSite, url: string, at: Date): Promise<TestedAddress> {
  const { site, environment, rules } = live;
  const hosts = ownHosts(site, environment);
  const request = requestOf({ hosts, environment }, url, 'url');
  return {
    environment,
    version: rules.version,
    path: request.path,
    query: request.query,
    at,
    ...(respondsByRules(request, hosts)
      ? await matchesOf(live, request, at.getTime())
      : { matches: [], beatenCount: 0, inactive: undefined }),
    followed: await runInSlices(followHops(rulesetAt(rules.ruleset, at), request, site, hosts)),
    fallbackUrl: site.fallbackUrl,
  };
}

/** Returns false for a request to a host that redirects as a whole. */
export const respondsByRules = ({ host }: MatchRequest, hosts: OwnHosts): boolean =>
  host === undefined || !hosts.redirectAt(host);

/** The matching of a ruleset at a fixed time. */
export function rulesetAt(ruleset: Ruleset, at: Date): Pick<Ruleset, 'match'> {
  return { match: (request, options) => ruleset.match(request, options, at.getTime()) };
}

const MAX_BEATEN = 100;

/** Reads the Location of the first matches. Thousands of patterns can match one path. */
async function matchesOf({ rules, site }: TestedSite, request: MatchRequest, at: number) {
  const matches: TestedAddress['matches'] = [];
  let beatenCount = 0;
  const slice = createTimeSlice();
  for (const { wins, read } of rules.ruleset.candidates(request, site, at)) {
    if (slice.isOver()) await slice.yield();
    if (!wins && ++beatenCount > MAX_BEATEN) continue;
    const match = read();
    if (match) matches.push(match);
  }
  const winner = matches.find(({ outcome }) => outcome === 'fired');
  return { matches, beatenCount, inactive: inactiveMatch({ rules, site }, request, winner) };
}

/** Returns the rule that would win if all windows were open, if that is another one than the winner. */
export function inactiveMatch(
  { rules: { ruleset }, site }: Pick<TestedSite, 'rules' | 'site'>,
  request: MatchRequest,
  winner: Match | undefined,
): Match | undefined {
  const always = ruleset.isScheduled ? ruleset.match(request, site) : undefined;
  return always?.id === winner?.id ? undefined : always;
}

/**
 * Returns the request for a path, or for a URL on one of the website's hosts in this environment. Throws at `field` for
 * any other.
 */
export function requestOf(
  { hosts, environment }: { hosts: OwnHosts; environment: Environment },
  url: string,
  field: string,
): MatchRequest {
  const parsed = parseUrl(url.split('#', 1)[0] ?? '');
  if (!parsed) throw invalid(field, 'must be a path that begins with "/", or an http or https address');
  const { host, authority, scheme, target } = parsed;
  const { path, query } = splitTarget(target);
  if (authority === undefined) return { path: canonicalPath(path), query };
  if (host === undefined || !hosts.has(host)) {
    throw invalid(field, `${authority} is not a host of this website in ${environment}`);
  }
  return { path: canonicalPath(path), query, host, scheme };
}

/** A URL without a fragment. `target` is its path and query, as written. */
export interface ParsedUrl {
  target: string;
  /** in lower case; undefined for a path */
  scheme?: string;
  /** host and port as written; undefined for a path */
  authority?: string;
  /** the normalized hostname; undefined for a path, and if it is not valid */
  host?: string | undefined;
}

/** Parses a path that begins with a slash, or an http or https URL. Returns undefined for any other text. */
export function parseUrl(url: string): ParsedUrl | undefined {
  if (url.startsWith('/')) return { target: url };
  const parts = /^(https?):\/\/([^/?]+)(.*)$/i.exec(url);
  if (!parts) return undefined;
  const [, scheme = '', authority = '', rest = ''] = parts;
  const host = normaliseHostname(authority.replace(/:\d+$/, ''));
  return { target: rest.startsWith('/') ? rest : `/${rest}`, scheme: scheme.toLowerCase(), authority, host };
}
