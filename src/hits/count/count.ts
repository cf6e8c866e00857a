/** One request, counted. */
import { DAY_MS } from '../../platform/clock.ts';
import { detachString } from '../../platform/detach-string.ts';
import { isScannerPath } from './scanner-paths.ts';
import { TALLY_BYTES } from './redirect-counters.ts';
import type { Visit } from '../record/request-batch.ts';
import { type SiteTally, siteCounters, type PendingCounters } from './counters.ts';
import type { Visitors } from './visitor.ts';
import { addVisitor } from './visitor-sketch.ts';

/** How much may be kept until it is written; reached when the database is away for long, or in a flood. */
export interface Bounds {
  /** of redirects and their visitors, before visitors and countries of single redirects are no longer told apart */
  bytes: number;
  /** different paths, of one environment of a website and of all, before they are counted without their path */
  pathsOfSite: number;
  paths: number;
}

/** What was counted less finely, since the start. */
export interface Folded {
  /** hits of a redirect whose visitor or country was not noted with the redirect; the website's always are */
  hits: number;
  /** requests without match whose path was not noted */
  paths: number;
}

/** Longer paths are cut: no key of an index may be much longer. */
const PATH_LENGTH = 2_048;

interface Counting {
  visitors: Visitors;
  bounds: Bounds;
  folded: Folded;
}

export function countVisit(tallies: PendingCounters, visit: Readonly<Visit>, counting: Counting): void {
  const site = siteCounters(tallies, Math.floor(visit.at / DAY_MS), visit.websiteId, visit.environment);
  if (visit.redirectId === null) countUnmatched(tallies, site, visit, counting);
  else countMatched(tallies, site, visit, visit.redirectId, counting);
}

function countMatched(
  tallies: PendingCounters,
  site: SiteTally,
  visit: Readonly<Visit>,
  redirectId: number,
  { visitors, bounds, folded }: Counting,
): void {
  const { redirects } = site;
  const { micros, at, country } = visit;
  const known = redirects.size;
  const place = redirects.placeOf(redirectId);
  if (redirects.size > known) tallies.bytes += TALLY_BYTES;
  if (visit.agent.isBot) {
    site.botHits++;
    redirects.addBot(place);
    return;
  }
  tallies.hits++;
  visitors.identify(visit.address, visit.agent);
  addHit(site, visit);
  addVisitor(site.visitors, visitors.high, visitors.low);
  if (tallies.bytes >= bounds.bytes) {
    folded.hits++;
    redirects.addHit(place, micros, at, 0);
    return;
  }
  tallies.bytes += redirects.addHit(place, micros, at, country);
  tallies.bytes += redirects.addVisitor(place, visitors.high, visitors.low);
}

function addHit(site: SiteTally, { micros, country }: Readonly<Visit>): void {
  site.hits++;
  site.micros += micros;
  if (country !== 0) site.countries.set(country, (site.countries.get(country) ?? 0) + 1);
}

function countUnmatched(
  tallies: PendingCounters,
  site: SiteTally,
  visit: Readonly<Visit>,
  { bounds, folded }: Counting,
): void {
  const { at, agent } = visit;
  if (agent.isBot) site.unmatchedBots++;
  else site.unmatched++;
  const path = visit.path.length > PATH_LENGTH ? `${visit.path.slice(0, PATH_LENGTH)}…` : visit.path;
  let tally = site.paths.get(path);
  if (!tally && (site.paths.size >= bounds.pathsOfSite || tallies.paths >= bounds.paths)) {
    folded.paths++;
    if (agent.isBot) site.otherPaths.botHits++;
    else site.otherPaths.hits++;
    site.otherPaths.lastSeenAt = at;
    return;
  }
  if (!tally) {
    tally = {
      hits: 0,
      botHits: 0,
      noise: isScannerPath(path),
      referrerHost: null,
      firstSeenAt: at,
      lastSeenAt: at,
    };
    site.paths.set(copyOf(path), tally);
    tallies.paths++;
  }
  if (agent.isBot) tally.botHits++;
  else tally.hits++;
  tally.lastSeenAt = at;
  tally.referrerHost = referrerHost(visit.referrer) ?? tally.referrerHost;
}

/** In memory of its own; all but the mark of a cut is ASCII in a canonical path. */
function copyOf(path: string): string {
  return path.endsWith('…') ? `${detachString(path.slice(0, -1))}…` : detachString(path);
}

/** A host name has at most 253 characters. */
const HOST = /^https?:\/\/(?:[^/?#@]{0,300}@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?=[:/?#]|$)/i;

/** The host of a Referer header, in lower case; of the rest nothing is kept. Null where there is none. */
export function referrerHost(referrer: string | undefined): string | null {
  const host = referrer === undefined ? undefined : HOST.exec(referrer)?.[1];
  return host === undefined ? null : detachString(host.toLowerCase());
}
