/** Adds one request to the counters. */
import { DAY_MS } from '../../platform/clock.ts';
import { DOMAIN_REDIRECT_ID } from '../../resolver/own-hosts.ts';
import { detachString } from '../../platform/bounded-cache.ts';
import {
  type NamedCounters,
  type PendingCounters,
  redirectCounters,
  type SiteCounters,
  siteCounters,
} from '../counters/counters.ts';
import { addName, MAX_NAMES_OF_WEBSITE } from '../counters/source-names.ts';
import { addVisitor } from '../counters/visitor-sketch.ts';
import type { Visit } from './request-batch.ts';
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

/** The counters of each class. */
export const HITS = { person: 'hits', bot: 'botHits', assistant: 'assistantHits' } as const;
const UNMATCHED = { person: 'unmatched', bot: 'unmatchedBots', assistant: 'unmatchedAssistants' } as const;

type Context = { visitors: Visitors; limits: CounterLimits; overflow: Overflow };

export function countVisit(pending: PendingCounters, visit: Visit, context: Context): void {
  pending.requests++;
  const site = siteCounters(pending, Math.floor(visit.at / DAY_MS), visit.websiteId, visit.environment);
  if (visit.redirectId === null) countUnmatched(pending, site, visit, context);
  else countMatched(pending, site, visit, visit.redirectId, context);
}

function countMatched(
  pending: PendingCounters,
  site: SiteCounters,
  visit: Visit,
  redirectId: number,
  { visitors, limits, overflow }: Context,
): void {
  const { micros, at, country } = visit;
  const redirect = redirectId === DOMAIN_REDIRECT_ID ? undefined : redirectCounters(pending, site, redirectId);
  const { class: agentClass } = visit.agent;
  if (agentClass !== 'person') {
    const field = HITS[agentClass];
    site[field]++;
    countNamed(site, visit, 'hits');
    if (redirect) redirect[field]++;
    return;
  }
  visitors.identify(visit.address, visit.agent);
  site.hits++;
  site.micros += micros;
  if (country !== 0) site.countries.set(country, (site.countries.get(country) ?? 0) + 1);
  addVisitor(site.visitors, visitors.high, visitors.low);
  countSources(pending, site, visit);
  if (!redirect) return;
  if (pending.bytes >= limits.bytes) {
    overflow.hits++;
    redirect.addHit(micros, at, 0);
    return;
  }
  pending.bytes += redirect.addHit(micros, at, country);
  pending.bytes += redirect.addVisitor(visitors.high, visitors.low);
  pending.bytes += redirect.addSources(visit.referrerName, visit.utmSource);
}

/** The names are those of a list, so that they need no limit. */
function countNamed({ named }: SiteCounters, { agent: { name } }: Visit, field: keyof NamedCounters): void {
  if (name === undefined) return;
  let counters = named.get(name);
  if (!counters) named.set(name, (counters = { hits: 0, unmatched: 0 }));
  counters[field]++;
}

function countSources(pending: PendingCounters, site: SiteCounters, { referrerName, utmSource }: Visit): void {
  if (referrerName !== undefined) pending.bytes += addName(site.referrers, referrerName, MAX_NAMES_OF_WEBSITE);
  if (utmSource !== undefined) pending.bytes += addName(site.utmSources, utmSource, MAX_NAMES_OF_WEBSITE);
}

function countUnmatched(
  pending: PendingCounters,
  site: SiteCounters,
  visit: Visit,
  { limits, overflow }: Context,
): void {
  const { at, agent } = visit;
  site[UNMATCHED[agent.class]]++;
  if (agent.class !== 'person') countNamed(site, visit, 'unmatched');
  const counters = pathCounters(pending, site, visit, limits);
  if (counters) counters.referrerHost = referrerHost(visit.referrer) ?? counters.referrerHost;
  else overflow.paths++;
  const counted = counters ?? site.otherPaths;
  counted[HITS[agent.class]]++;
  counted.lastSeenAt = at;
}

/** The counters of the path, created if they do not exist; undefined above the limits. */
function pathCounters(pending: PendingCounters, site: SiteCounters, visit: Visit, limits: CounterLimits) {
  const { path: whole, at } = visit;
  const path = whole.length > MAX_PATH_LENGTH ? whole.slice(0, MAX_PATH_LENGTH) + TRUNCATED : whole;
  const existing = site.paths.get(path);
  if (existing) return existing;
  if (site.paths.size >= limits.pathsOfSite || pending.paths >= limits.paths) return undefined;
  const noise = isScannerPath(path);
  const counters = {
    hits: 0,
    botHits: 0,
    assistantHits: 0,
    noise,
    referrerHost: null,
    firstSeenAt: at,
    lastSeenAt: at,
  };
  site.paths.set(detachPath(path), counters);
  pending.paths++;
  return counters;
}

/** `detachString` takes one byte per character: a canonical path is ASCII, except for the mark of a truncated one. */
function detachPath(path: string): string {
  return path.endsWith(TRUNCATED) ? detachString(path.slice(0, -1)) + TRUNCATED : detachString(path);
}

/**
 * Paths that scanners request on every website: secrets, consoles and known vulnerabilities. They are marked as noise,
 * so that they do not hide the paths that real visitors miss. Plausible old pages such as /index.php are not on the
 * list.
 */
const SCANNER_PATHS: RegExp[] = [
  // Files with secrets in any folder, and database backups.
  /\/\.(?:env|git|svn|hg|aws|ssh|docker|kube|vscode|idea|npmrc|htpasswd|htaccess|DS_Store)(?:$|[./_-])/i,
  /\/(?:id_rsa|id_dsa|id_ed25519|credentials(?:\.[a-z]+)?|secrets?\.(?:json|ya?ml|txt)|web\.config|configuration\.php)$/i,
  /\/wp-config\b/i,
  /\.(?:sql|bak|old|swp|tar|tgz|rar|7z)(?:\.(?:gz|zip|bz2))?$/i,
  // WordPress: login, API, plugins.
  /\/(?:wp-login|xmlrpc|wp-cron|wp-signup|wlwmanifest|wp-trackback)\b/i,
  /\/wp-(?:admin|includes|json|content\/(?:plugins|themes))(?:\/|$)/i,
  // Database and server consoles.
  /\/(?:phpmyadmin[^/]*|pma|myadmin|mysqladmin|dbadmin|(?:adminer|phpinfo)(?:-[\d.]+)?(?:\.php)?)(?:\/|$)/i,
  /\/(?:actuator|server-status|server-info|jmx-console|web-console|solr|jenkins|hudson|manager\/html|druid)(?:\/|$)/i,
  // Known vulnerabilities.
  /\/(?:cgi-bin|vendor\/phpunit|boaform|HNAP1|GponForm|owa\/auth|autodiscover|_ignition|telescope|eval-stdin|(?:shell|alfa|c99|r57)\.php)(?:$|[./])/i,
  /\/(?:%5C|\.\.%|%2e%2e)|\$%7B|%3Cscript/i,
];

/** True for a canonical path that only scanners request. */
export function isScannerPath(path: string): boolean {
  return SCANNER_PATHS.some((pattern) => pattern.test(path));
}
