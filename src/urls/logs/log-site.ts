/** Finds the rule of the website that answered a request of a log, and the URL that it requested. */
import type { Db } from '../../db/connection/client.ts';
import { withClient } from '../../db/connection/client.ts';
import { copyRows, inlineSql } from '../../db/copy/copy-rows.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createUrlSet, type UrlSet } from '../../deployments/gate/urls/url-set.ts';
import { readSites } from '../../deployments/live/database/read-sites.ts';
import { type LiveRules, NOTHING_LIVE } from '../../deployments/live/live-registry.ts';
import type { LogLine } from '../../formats/read/logs/log-line.ts';
import { createBoundedCache, detachString } from '../../platform/bounded-cache.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { hostTableOf } from '../../resolver/host-table.ts';
import { DOMAIN_REDIRECT_ID, type Host } from '../../resolver/own-hosts.ts';
import { absoluteForm, hostOfHeader, requestTarget, splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { ownUrl } from '../../rules/url-key.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { invalid, missing } from '../../vocabulary/error.ts';
import { MAX_URL_BYTES } from '../../vocabulary/urls.ts';
import { requireEditableRow, websiteNotFound } from '../../websites/website.ts';

export interface LogPlace {
  websiteId: number;
  environment: Environment;
  /** of lines that do not have one */
  host?: string | undefined;
}

/** The rule and the URL at an address of the website, whatever the status of the line. */
export interface Asked {
  /** index in ENVIRONMENTS */
  environment: number;
  /** undefined: no rule matches */
  redirectId: number | undefined;
  /** canonical */
  path: string;
  /** index of its URL in the list, -1 if it is not in the list; undefined: not looked up yet */
  url: number | undefined;
}

/** Longer paths are answered with 414. */
const MAX_URI = 8_192;
/** Up to 80 MB. Half of it is evicted at once: with 131,072, a log with 120,000 paths looked most of them up again. */
const MAX_CACHED = 262_144;
const MAX_CACHED_LENGTH = 150;

export type LogSite = Awaited<ReturnType<typeof openLogSite>>;

/** Reads the website. Throws WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, and a validation error for a host of another one. */
export async function openLogSite(
  db: Db,
  actor: Actor,
  place: LogPlace,
  liveOf: (environment: Environment) => LiveRules | undefined,
) {
  const { pageParameters } = await requireEditableRow(db, actor, place.websiteId);
  const [site] = await readSites(db, [place.websiteId]);
  if (!site) throw websiteNotFound(place.websiteId);
  const table = hostTableOf(site.hosts);
  const defaultHost = hostWithout(site.hosts, place);
  if (place.host !== undefined && !table.find(hostOfHeader(place.host)))
    throw invalid(
      'host',
      `${place.host} is not a host of the website; send one of its hosts, or add it to the website`,
    );
  let urls = createUrlSet();
  const rulesets = ENVIRONMENTS.map((environment) => (liveOf(environment) ?? NOTHING_LIVE).ruleset);
  const isScheduled = rulesets.some((ruleset) => ruleset.isScheduled);
  const names = new Set(pageParameters);
  const known = createBoundedCache<Asked | 'not_ours'>(MAX_CACHED);

  const look = (hostname: string, target: string, at: number): Asked | 'not_ours' => {
    const host = table.find(hostname);
    if (!host) return 'not_ours';
    const environment = ENVIRONMENTS.indexOf(host.environment);
    const { path, query } = splitTarget(target);
    if (host.redirectTo) return { environment, redirectId: DOMAIN_REDIRECT_ID, path, url: -1 };
    const match = rulesets[environment]?.match({ path, query, host: hostname }, site, at);
    return { environment, redirectId: match?.id, path, url: undefined };
  };

  return {
    /** the URLs that were read */
    urls: () => urls,
    /** The URL at the address of a line. One that no list can have is undefined. */
    urlOf: (line: LogLine) => urlOf(line, names),
    /** The index of the URL that a line asked for; -1 if the list does not have it. */
    urlIndex(asked: Asked, line: LogLine): number {
      return (asked.url ??= urls.size === 0 ? -1 : urls.indexOf(urlOf(line, names) ?? ''));
    },
    /** Reads the URLs of the website, or only those of these that it has. Call it before `asked`. */
    async readUrls(only?: ReadonlySet<string>): Promise<void> {
      urls = await readUrlList(db, place.websiteId, only);
    },
    /**
     * Returns what the website has at the address of a line; undefined if no address can be that long. Throws
     * MISSING_PARAMETER if neither the line nor the call names a host.
     */
    asked({ host, uri, time }: LogLine): Asked | 'not_ours' | undefined {
      if (uri.length > MAX_URI) return undefined;
      const absolute = uri.startsWith('/') ? undefined : absoluteForm(uri);
      const name = absolute?.host ?? host;
      if (name === '' && defaultHost === undefined) throw noHost(place);
      const hostname = name === '' ? (defaultHost ?? '') : name;
      const target = absolute?.target ?? uri;
      // Rules of a schedule depend on the time of the line.
      if (isScheduled) return look(hostOfHeader(hostname), requestTarget(target), time);
      const key = name === '' ? target : `${name} ${target}`;
      const found = known.get(key);
      if (found) return found;
      if (key.length > MAX_CACHED_LENGTH) return look(hostOfHeader(hostname), requestTarget(target), time);
      // Its path is a part of the target, which is a part of the block of lines.
      const kept = detachString(target);
      const asked = look(hostOfHeader(hostname), requestTarget(kept), time);
      known.set(name === '' ? kept : detachString(key), asked);
      return asked;
    },
  };
}

function urlOf({ uri }: LogLine, pageParameters: ReadonlySet<string>): string | undefined {
  if (uri.length > MAX_URI) return undefined;
  const target = uri.startsWith('/') ? uri : (absoluteForm(uri)?.target ?? uri);
  const { url } = ownUrl(requestTarget(target), pageParameters);
  return url.length > MAX_URL_BYTES || url.includes('\0') ? undefined : url;
}

/** The host of lines without one: that of the call, or the only one of the environment. */
function hostWithout(hosts: readonly Host[], { host, environment }: LogPlace): string | undefined {
  if (host !== undefined) return host;
  const [first, second] = hosts.filter((each) => each.environment === environment);
  return second ? undefined : first?.hostname;
}

const noHost = ({ environment }: LogPlace) =>
  missing('host', `the lines of the log name no host, and the website has several in ${environment}; send host=NAME`);

/** The URLs of the website, or those of `only` that it has. */
async function readUrlList(db: Db, websiteId: number, only: ReadonlySet<string> | undefined): Promise<UrlSet> {
  const urls = createUrlSet();
  if (only) {
    const found = await queryRows<{ url: string }>(db)`
      select url from urls where website_id = ${websiteId} and url = any(${sql.param([...only])}::text[])`;
    for (const { url } of found) urls.put(url, 'known', 0);
    return urls;
  }
  const slice = createTimeSlice();
  await withClient(db, async (client) => {
    const query = inlineSql(sql`select url from urls where website_id = ${websiteId}`);
    for await (const rows of copyRows(client, query)) {
      for (const [url] of rows) urls.put(url ?? '', 'known', 0);
      if (slice.isOver()) await slice.yield();
    }
  });
  return urls;
}
