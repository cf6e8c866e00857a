/**
 * What was counted and not written yet, added up in memory: by day, website and environment, and within those by redirect and by path.
 * It grows with how many different ones there were, not with how often; visitors, countries and paths, of which a flood can bring any
 * number, stop being told apart when they would take too much memory. Hits never do.
 */
import { ENVIRONMENTS, type Environment } from '../vocabulary/environment.ts';
import { createSketch, EXACT_OF_WEBSITE, type VisitorSketch } from './visitor-sketch.ts';

/** A redirect's or a website's part of a day. */
export interface Tally {
  hits: number;
  botHits: number;
  micros: number;
  /** milliseconds since the epoch; 0: no person yet */
  lastHitAt: number;
  /** the first country that was seen, empty where none was, and its hits; the others, where there are any */
  country: string;
  countryHits: number;
  countries: Map<string, number> | null;
  /** null where it would have taken too much memory, or where there was none */
  visitors: VisitorSketch | null;
}

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
export interface SiteTally extends Tally {
  websiteId: number;
  environment: Environment;
  unmatched: number;
  unmatchedBots: number;
  redirects: Map<number, Tally>;
  paths: Map<string, PathTally>;
  /** what could not be told by path any more; lastSeenAt 0: nothing */
  otherPaths: { hits: number; botHits: number; lastSeenAt: number };
}

export interface Tallies {
  /** by the number of the day since the epoch, then by `siteKey` */
  days: Map<number, Map<number, SiteTally>>;
  /** about how much memory sketches and redirects take, in bytes */
  bytes: number;
  /** how many paths there are, over all websites */
  paths: number;
  /** hits of people */
  hits: number;
}

export function createTallies(): Tallies {
  return { days: new Map(), bytes: 0, paths: 0, hits: 0 };
}

export function emptyTally(): Tally {
  return {
    hits: 0,
    botHits: 0,
    micros: 0,
    lastHitAt: 0,
    country: '',
    countryHits: 0,
    countries: null,
    visitors: null,
  };
}

/** The tally of an environment on a day; made where it is not there. */
export function siteTally(
  tallies: Tallies,
  day: number,
  websiteId: number,
  environment: Environment,
): SiteTally {
  let sites = tallies.days.get(day);
  if (!sites) tallies.days.set(day, (sites = new Map()));
  const key = websiteId * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(environment);
  let site = sites.get(key);
  if (!site) {
    site = {
      ...emptyTally(),
      visitors: createSketch(EXACT_OF_WEBSITE),
      websiteId,
      environment,
      unmatched: 0,
      unmatchedBots: 0,
      redirects: new Map(),
      paths: new Map(),
      otherPaths: { hits: 0, botHits: 0, lastSeenAt: 0 },
    };
    sites.set(key, site);
  }
  return site;
}

/** Counts a hit from a country. Most redirects are followed from one in a second: a map for each would cost more than the rest. */
export function addCountry(tally: Tally, country: string): void {
  if (tally.country === '') tally.country = country;
  if (tally.country === country) {
    tally.countryHits++;
    return;
  }
  tally.countries ??= new Map();
  tally.countries.set(country, (tally.countries.get(country) ?? 0) + 1);
}
