/**
 * The counts that are not written yet, by day, website and environment, and within those by redirect and by path.
 * Memory grows with the number of different redirects, visitors, countries and paths, not with the number of hits.
 */
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { COUNTER_BYTES, type HitCounters, RedirectCounters } from './redirect-counters.ts';
import { createSketch, MAX_EXACT_OF_WEBSITE } from './visitor-sketch.ts';

/** Requests of an unmatched path. */
export interface PathCounters {
  hits: number;
  botHits: number;
  assistantHits: number;
  noise: boolean;
  referrerHost: string | null;
  /** milliseconds since the epoch */
  firstSeenAt: number;
  lastSeenAt: number;
}

/** Requests of a user agent that is counted by name. */
export interface NamedCounters {
  hits: number;
  unmatched: number;
}

/** An environment of a website on one day. */
export interface SiteCounters extends HitCounters {
  websiteId: number;
  environment: Environment;
  unmatched: number;
  unmatchedBots: number;
  unmatchedAssistants: number;
  /** of bots and assistants, by name */
  named: Map<string, NamedCounters>;
  /** by redirect id */
  redirects: Map<number, RedirectCounters>;
  /** further counts of redirects, packed (packed-redirects.ts) */
  runs: Buffer[];
  paths: Map<string, PathCounters>;
  /** unmatched requests above the limit of paths; lastSeenAt is 0 without any */
  otherPaths: { hits: number; botHits: number; assistantHits: number; lastSeenAt: number };
}

export interface PendingCounters {
  /** by day number since the epoch, then by website and environment */
  days: Map<number, Map<number, SiteCounters>>;
  /** estimated memory of sketches and redirects, in bytes */
  bytes: number;
  /** bytes of packed redirects */
  packedBytes: number;
  /** different paths of all websites */
  paths: number;
  /** bots' and assistants' included */
  requests: number;
}

export function createPendingCounters(): PendingCounters {
  return { days: new Map(), bytes: 0, packedBytes: 0, paths: 0, requests: 0 };
}

/** Returns the counters of an environment (its index in `ENVIRONMENTS`) on a day; creates them if they do not exist. */
export function siteCounters({ days }: PendingCounters, day: number, websiteId: number, environment: number) {
  let sites = days.get(day);
  if (!sites) days.set(day, (sites = new Map<number, SiteCounters>()));
  const key = websiteId * ENVIRONMENTS.length + environment;
  let site = sites.get(key);
  if (!site) sites.set(key, (site = emptySite(websiteId, ENVIRONMENTS[environment] ?? 'production')));
  return site;
}

/** Returns the counters of a redirect; creates them if they do not exist. */
export function redirectCounters(pending: PendingCounters, { redirects }: SiteCounters, redirectId: number) {
  const existing = redirects.get(redirectId);
  if (existing) return existing;
  const created = new RedirectCounters(redirectId);
  redirects.set(redirectId, created);
  pending.bytes += COUNTER_BYTES;
  return created;
}

function emptySite(websiteId: number, environment: Environment): SiteCounters {
  return {
    websiteId,
    environment,
    hits: 0,
    botHits: 0,
    assistantHits: 0,
    micros: 0,
    countries: new Map(),
    visitors: createSketch(MAX_EXACT_OF_WEBSITE),
    referrers: new Map(),
    utmSources: new Map(),
    unmatched: 0,
    unmatchedBots: 0,
    unmatchedAssistants: 0,
    named: new Map(),
    redirects: new Map(),
    runs: [],
    paths: new Map(),
    otherPaths: { hits: 0, botHits: 0, assistantHits: 0, lastSeenAt: 0 },
  };
}

const A = 'A'.charCodeAt(0);
const LETTERS = 26;

/** Encodes a code of two capital letters as 1 (AA) to 676 (ZZ), and an empty code (unknown country) as 0. */
export function countryNumber(code: string): number {
  return code === '' ? 0 : (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A + 1;
}

/** Decodes `countryNumber`. */
export function countryOfNumber(number: number): string {
  if (number === 0) return '';
  return String.fromCharCode(A + Math.floor((number - 1) / LETTERS), A + ((number - 1) % LETTERS));
}
