/**
 * What was counted and not written yet, added up in memory: by day, website and environment, and within those by redirect and by path.
 * It grows with how many different ones there were, not with how often; visitors, countries and paths, of which a flood can bring any
 * number, stop being told apart when they would take too much memory. Hits never do.
 */
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { type HitCounters, RedirectCounters } from './redirect-counters.ts';
import { createSketch, EXACT_OF_WEBSITE } from './visitor-sketch.ts';

/** A path that nothing matched. */
export interface PathTally {
  hits: number;
  botHits: number;
  noise: boolean;
  referrerHost: string | null;
  /** milliseconds since the epoch */
  firstSeenAt: number;
  lastSeenAt: number;
}

/** An environment of a website on a day. */
export interface SiteTally extends HitCounters {
  websiteId: number;
  environment: Environment;
  unmatched: number;
  unmatchedBots: number;
  redirects: RedirectCounters;
  paths: Map<string, PathTally>;
  /** what could not be told by path any more; lastSeenAt 0: nothing */
  otherPaths: { hits: number; botHits: number; lastSeenAt: number };
}

export interface PendingCounters {
  /** by the number of the day since the epoch, then by website and environment */
  days: Map<number, Map<number, SiteTally>>;
  /** about how much memory sketches and redirects take, in bytes */
  bytes: number;
  /** how many paths there are, over all websites */
  paths: number;
  /** hits of people */
  hits: number;
}

export function createTallies(): PendingCounters {
  return { days: new Map(), bytes: 0, paths: 0, hits: 0 };
}

/** The tally of an environment (its place in `ENVIRONMENTS`) on a day; made where it is not there. */
export function siteCounters(
  tallies: PendingCounters,
  day: number,
  websiteId: number,
  environment: number,
): SiteTally {
  let sites = tallies.days.get(day);
  if (!sites) tallies.days.set(day, (sites = new Map()));
  const key = websiteId * ENVIRONMENTS.length + environment;
  let site = sites.get(key);
  if (!site) sites.set(key, (site = emptySite(websiteId, ENVIRONMENTS[environment] ?? 'production')));
  return site;
}

function emptySite(websiteId: number, environment: Environment): SiteTally {
  return {
    websiteId,
    environment,
    hits: 0,
    botHits: 0,
    micros: 0,
    countries: new Map(),
    visitors: createSketch(EXACT_OF_WEBSITE),
    unmatched: 0,
    unmatchedBots: 0,
    redirects: new RedirectCounters(),
    paths: new Map(),
    otherPaths: { hits: 0, botHits: 0, lastSeenAt: 0 },
  };
}
