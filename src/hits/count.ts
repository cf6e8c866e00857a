/** One request, counted. */
import type { Environment } from '../vocabulary/environment.ts';
import { ownCopy } from './bounded-cache.ts';
import { countryCode } from './country.ts';
import { isNoise } from './noise.ts';
import { referrerHost } from './referrer-host.ts';
import { addCountry, emptyTally, type SiteTally, siteTally, type Tallies, type Tally } from './tally.ts';
import type { Visitors } from './visitor.ts';
import { addVisitor, createSketch, EXACT_OF_REDIRECT, sketchBytes } from './visitor-sketch.ts';

/** A GET that was answered for a website. */
export interface Request {
  websiteId: number;
  environment: Environment;
  /** the redirect that answered; null where none matched */
  redirectId: number | null;
  /** canonical */
  path: string;
  /** how long the service took to answer, in microseconds */
  micros: number;
  /** of the client */
  address: string;
  userAgent: string;
  /** the code of the country, where a trusted proxy tells it */
  country: string | undefined;
  /** the Referer header */
  referrer: string | undefined;
}

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

const DAY_MS = 86_400_000;
/** About what a redirect's tally takes: the object and its place in the map. */
const TALLY_BYTES = 250;
/** Longer paths are cut: no key of an index may be much longer. */
const PATH_LENGTH = 2_048;

export function countRequest(
  tallies: Tallies,
  request: Request,
  at: number,
  { visitors, bounds, folded }: { visitors: Visitors; bounds: Bounds; folded: Folded },
): void {
  const site = siteTally(tallies, Math.floor(at / DAY_MS), request.websiteId, request.environment);
  const isBot = visitors.isBot(request.userAgent);
  if (request.redirectId === null) {
    if (isBot) site.unmatchedBots++;
    else site.unmatched++;
    countPath(tallies, site, request, { at, isBot, bounds, folded });
    return;
  }
  const redirect = redirectTally(tallies, site, request.redirectId);
  if (isBot) {
    site.botHits++;
    redirect.botHits++;
    return;
  }
  tallies.hits++;
  visitors.identify(request.address, request.userAgent);
  const country =
    request.country === undefined ? visitors.countryOf(request.address) : countryCode(request.country);
  addHit(site, request.micros, at, country);
  noteVisitor(site, visitors);
  if (tallies.bytes >= bounds.bytes) {
    folded.hits++;
    addHit(redirect, request.micros, at, '');
    return;
  }
  addHit(redirect, request.micros, at, country);
  redirect.visitors ??= createSketch(EXACT_OF_REDIRECT);
  tallies.bytes += noteVisitor(redirect, visitors);
}

function redirectTally(tallies: Tallies, site: SiteTally, id: number): Tally {
  let tally = site.redirects.get(id);
  if (!tally) {
    tally = emptyTally();
    site.redirects.set(id, tally);
    tallies.bytes += TALLY_BYTES;
  }
  return tally;
}

function addHit(tally: Tally, micros: number, at: number, country: string): void {
  tally.hits++;
  tally.micros += micros;
  if (at > tally.lastHitAt) tally.lastHitAt = at;
  if (country !== '') addCountry(tally, country);
}

/** Answers by how many bytes the sketch has grown. */
function noteVisitor({ visitors: sketch }: Tally, { high, low }: Visitors): number {
  if (!sketch) return 0;
  const before = sketchBytes(sketch);
  addVisitor(sketch, high, low);
  return sketchBytes(sketch) - before;
}

interface Seen {
  at: number;
  isBot: boolean;
  bounds: Bounds;
  folded: Folded;
}

function countPath(tallies: Tallies, site: SiteTally, request: Request, seen: Seen): void {
  const { at, isBot, bounds, folded } = seen;
  const path = request.path.length > PATH_LENGTH ? `${request.path.slice(0, PATH_LENGTH)}…` : request.path;
  let tally = site.paths.get(path);
  if (!tally && (site.paths.size >= bounds.pathsOfSite || tallies.paths >= bounds.paths)) {
    folded.paths++;
    if (isBot) site.otherPaths.botHits++;
    else site.otherPaths.hits++;
    site.otherPaths.lastSeenAt = at;
    return;
  }
  if (!tally) {
    tally = {
      hits: 0,
      botHits: 0,
      noise: isNoise(path),
      referrerHost: null,
      firstSeenAt: at,
      lastSeenAt: at,
    };
    site.paths.set(copyOf(path), tally);
    tallies.paths++;
  }
  if (isBot) tally.botHits++;
  else tally.hits++;
  tally.lastSeenAt = at;
  tally.referrerHost = referrerHost(request.referrer) ?? tally.referrerHost;
}

/** In memory of its own; all but the mark of a cut is ASCII in a canonical path. */
function copyOf(path: string): string {
  return path.endsWith('…') ? `${ownCopy(path.slice(0, -1))}…` : ownCopy(path);
}
