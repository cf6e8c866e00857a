/** Compares what a visitor gets with what is expected. Pure: the caller reads the rules and the expectations. */
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { followHops, type Journey } from '../../resolver/follow.ts';
import { fallbackLocation, parseLocation } from '../../resolver/location.ts';
import { domainLocation, type OwnHosts } from '../../resolver/own-hosts.ts';
import type { MatchOptions, MatchRequest } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { runInSlices, type TimeSlice } from '../../platform/scheduling/time-slice.ts';
import { parseUrl, type ParsedUrl } from '../live/test-url.ts';

/** The response that a visitor must get. `location` and `final` are never both set; null: any. */
export interface ExpectedResponse {
  statusCode: number;
  /** the exact Location */
  location: string | null;
  /** the last address of the chain */
  final: string | null;
}

export interface Expectation extends ExpectedResponse {
  /** a path with query, or a URL on a host of the website */
  url: string;
}

/** The response that a visitor gets. */
export interface ActualResponse {
  /** null if no response of the website is possible */
  statusCode: number | null;
  location: string | null;
  /** the end of the chain, if the expectation names it */
  final: string | null;
  /** what prevents a response or an end of the chain, in words */
  problem: string | null;
}

/** An expectation that does not hold. */
export interface Failure {
  url: string;
  expected: ExpectedResponse;
  actual: ActualResponse;
}

/** Rules, and what else determines the response of a website in one environment. */
export interface VisitedSite {
  ruleset: Pick<Ruleset, 'match'>;
  options: MatchOptions;
  fallbackUrl: string | null;
  hosts: OwnHosts;
}

const MAX_HOPS = 20;

/** Returns why an expectation does not hold; undefined if it does. Yields to the event loop when `slice` is over. */
export async function failureOf(
  site: VisitedSite,
  { url, ...expected }: Expectation,
  slice: TimeSlice,
): Promise<Failure | undefined> {
  const parsed = parseUrl(url);
  const fail = (actual: Partial<ActualResponse>): Failure => ({
    url,
    expected,
    actual: { statusCode: null, location: null, final: null, problem: null, ...actual },
  });
  const isReached = parsed && (parsed.authority === undefined || (parsed.host && site.hosts.has(parsed.host)));
  if (!isReached) return fail({ problem: `${parsed?.authority ?? url} is not a host of this website here` });
  const request = requestFor(parsed);
  const first = firstResponse(site, request, parsed);
  const isFirst =
    first.statusCode === expected.statusCode && (expected.location === null || first.location === expected.location);
  if (expected.final === null) return isFirst ? undefined : fail(first);
  const hops = followHops(site.ruleset, request, site.options, site.hosts, MAX_HOPS);
  const journey = await runInSlices(hops, slice);
  const problem = problemOf(journey);
  if (isFirst && problem === null && isFinal(expected.final, journey, request)) return undefined;
  return fail({ ...first, final: journey.finalUrl, problem });
}

function requestFor({ target, host, scheme }: ParsedUrl): MatchRequest {
  const { path, query } = splitTarget(target);
  return { path, query, ...(host !== undefined && { host, scheme }) };
}

/** The response to the request itself, as the edge sends it. */
function firstResponse(
  { ruleset, options, fallbackUrl, hosts }: VisitedSite,
  request: MatchRequest,
  { target }: ParsedUrl,
): { statusCode: number; location: string | null } {
  const rawPath = target.split('?', 1)[0] ?? '';
  const to = request.host === undefined ? undefined : hosts.redirectAt(request.host);
  if (to) return { statusCode: to.statusCode, location: domainLocation(to, rawPath, request.query) };
  const match = ruleset.match(request, options);
  if (match) return { statusCode: match.statusCode, location: match.location };
  if (fallbackUrl === null) return { statusCode: 404, location: null };
  return { statusCode: 302, location: fallbackLocation(fallbackUrl, rawPath, request.query) };
}

function problemOf({ outcome, finalUrl }: Journey): string | null {
  if (outcome === 'loop') return `the chain is a loop: it returns to ${finalUrl}`;
  return outcome === 'too-many' ? `the chain has more than ${MAX_HOPS} redirects` : null;
}

/** True if the chain ends at the address. Equal spellings of a path and of a host are one address. */
function isFinal(expected: string, { hops, outcome, finalUrl }: Journey, request: MatchRequest): boolean {
  if (expected === finalUrl) return true;
  const wanted = parseLocation(expected);
  const reached = parseLocation(finalUrl);
  if (wanted.path !== reached.path || wanted.query !== reached.query) return false;
  if (outcome === 'external') return wanted.host === reached.host && wanted.scheme === reached.scheme;
  // The last address on an own host is known without its host: that of the last absolute Location, or of the request.
  const last = hops.findLast(({ location }) => location !== null && parseLocation(location).host !== undefined);
  const host = last?.location ? parseLocation(last.location).host : request.host;
  return wanted.host === undefined || host === undefined || wanted.host === host;
}
