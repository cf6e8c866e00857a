/** Adds one request to the counters. */
import { DAY_MS } from '../../platform/clock.ts';
import { DOMAIN_REDIRECT_ID } from '../../resolver/own-hosts.ts';
import { detachString } from '../../platform/detach-string.ts';
import { type PendingCounters, type SiteCounters, siteCounters } from '../counters/counters.ts';
import { COUNTER_BYTES } from '../counters/redirect-counters.ts';
import { addName, MAX_NAMES_OF_WEBSITE } from '../counters/source-names.ts';
import { addVisitor } from '../counters/visitor-sketch.ts';
import type { Visit } from './request-batch.ts';
import { isScannerPath } from './scanner-paths.ts';
import { referrerHost } from './sources.ts';
import type { Visitors } from './visitor.ts';

/** Limits of the unwritten counters. They are only reached in a flood or during a long outage of the database. */
export interface CounterLimits {
  /** memory of redirects and their visitors, above which redirects get no further visitors and countries */
  bytes: number;
  /** different unmatched paths per environment of a website, and in total, above which requests count as `other` */
  pathsOfSite: number;
  paths: number;
}

/** Requests that were counted in less detail since the start, because a limit was reached. */
export interface Overflow {
  /** hits whose visitor, country and source were counted for the website only */
  hits: number;
  /** unmatched requests that were counted without their path */
  paths: number;
}

/** Longer paths are truncated, because they are index keys. */
const MAX_PATH_LENGTH = 2_048;
const TRUNCATED = '…';

type Context = { visitors: Visitors; limits: CounterLimits; overflow: Overflow };

export function countVisit(pending: PendingCounters, visit: Readonly<Visit>, context: Context): void {
  const site = siteCounters(pending, Math.floor(visit.at / DAY_MS), visit.websiteId, visit.environment);
  if (visit.redirectId === null) countUnmatched(pending, site, visit, context);
  else countMatched(pending, site, visit, visit.redirectId, context);
}

function countMatched(
  pending: PendingCounters,
  site: SiteCounters,
  visit: Readonly<Visit>,
  redirectId: number,
  { visitors, limits, overflow }: Context,
): void {
  const { redirects } = site;
  const { micros, at, country } = visit;
  const isRule = redirectId !== DOMAIN_REDIRECT_ID;
  const sizeBefore = redirects.size;
  const slot = isRule ? redirects.slotOf(redirectId) : 0;
  if (redirects.size > sizeBefore) pending.bytes += COUNTER_BYTES;
  if (visit.agent.isBot) {
    site.botHits++;
    if (isRule) redirects.addBot(slot);
    return;
  }
  pending.hits++;
  visitors.identify(visit.address, visit.agent);
  site.hits++;
  site.micros += micros;
  if (country !== 0) site.countries.set(country, (site.countries.get(country) ?? 0) + 1);
  addVisitor(site.visitors, visitors.high, visitors.low);
  countSources(pending, site, visit);
  if (!isRule) return;
  if (pending.bytes >= limits.bytes) {
    overflow.hits++;
    redirects.addHit(slot, micros, at, 0);
    return;
  }
  pending.bytes += redirects.addHit(slot, micros, at, country);
  pending.bytes += redirects.addVisitor(slot, visitors.high, visitors.low);
  pending.bytes += redirects.addSources(slot, visit.referrerName, visit.utmSource);
}

function countSources(
  pending: PendingCounters,
  site: SiteCounters,
  { referrerName, utmSource }: Readonly<Visit>,
): void {
  if (referrerName !== undefined) pending.bytes += addName(site.referrers, referrerName, MAX_NAMES_OF_WEBSITE);
  if (utmSource !== undefined) pending.bytes += addName(site.utmSources, utmSource, MAX_NAMES_OF_WEBSITE);
}

function countUnmatched(
  pending: PendingCounters,
  site: SiteCounters,
  visit: Readonly<Visit>,
  { limits, overflow }: Context,
): void {
  const { at, agent } = visit;
  if (agent.isBot) site.unmatchedBots++;
  else site.unmatched++;
  const counters = pathCounters(pending, site, visit, limits);
  if (counters) counters.referrerHost = referrerHost(visit.referrer) ?? counters.referrerHost;
  else overflow.paths++;
  const counted = counters ?? site.otherPaths;
  if (agent.isBot) counted.botHits++;
  else counted.hits++;
  counted.lastSeenAt = at;
}

/** The counters of the path, created if they do not exist; undefined above the limits. */
function pathCounters(pending: PendingCounters, site: SiteCounters, visit: Readonly<Visit>, limits: CounterLimits) {
  const { path: whole, at } = visit;
  const path = whole.length > MAX_PATH_LENGTH ? whole.slice(0, MAX_PATH_LENGTH) + TRUNCATED : whole;
  const existing = site.paths.get(path);
  if (existing) return existing;
  if (site.paths.size >= limits.pathsOfSite || pending.paths >= limits.paths) return undefined;
  const noise = isScannerPath(path);
  const counters = { hits: 0, botHits: 0, noise, referrerHost: null, firstSeenAt: at, lastSeenAt: at };
  site.paths.set(detachPath(path), counters);
  pending.paths++;
  return counters;
}

/** `detachString` takes one byte per character: a canonical path is ASCII, except for the mark of a truncated one. */
function detachPath(path: string): string {
  return path.endsWith(TRUNCATED) ? detachString(path.slice(0, -1)) + TRUNCATED : detachString(path);
}
