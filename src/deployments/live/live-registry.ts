/**
 * The hosts, options and live rules of every website, in memory. The edge responds from it; rulesets.ts keeps it
 * current. Imports no database code, so that a process can serve snapshots before it has loaded that code.
 */
import { detachString } from '../../platform/bounded-cache.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { RulesPointer } from './database/rules-sql.ts';
import type { DomainRedirect } from '../../resolver/own-hosts.ts';
import { createSiteRegistry, type HostsElsewhere, type Site } from './site-registry.ts';

/** The live rules of one environment. Replaced as a whole, never changed. */
export interface LiveRules extends RulesPointer {
  version: number;
  /** id of the version (deployments/live/database/history.ts); empty if it is unknown */
  history: string;
  ruleset: Ruleset;
}

/** A website as the edge sees it. */
export interface LiveSite {
  site: Site;
  environment: Environment;
  rules: LiveRules;
  /** if not null, it responds instead of the rules; set by `byHostname` */
  redirectTo: DomainRedirect | null;
  /** the host or wildcard that matched, until `recordRequest` has recorded it; set by `byHostname` */
  unrecordedHost?: string | undefined;
}

/** Sums over the live rules of all environments. */
export interface LiveTotals {
  rules: number;
  /** memory; rulesets that share a part each count it */
  bytes: number;
  /** of the numbers of the live versions: processes with the same rules have the same sum */
  versions: number;
}

/** The rules of an environment that was never deployed. */
export const NOTHING_LIVE: LiveRules = {
  version: 0,
  history: '',
  ruleset: emptyRuleset(),
  rulesEnv: 'production',
  rulesRev: 0,
  rulesMaxId: 0,
  targetHosts: null,
};

/** Hosts whose lookup is cached. A wildcard makes every name below it known, so their number needs a bound. */
const MAX_VISITED = 10_000;

export type LiveRegistry = ReturnType<typeof createLiveRegistry>;

/** Creates an empty registry. A website never responds for a reserved hostname. */
export function createLiveRegistry(reserved: ReadonlySet<string> = new Set()) {
  const sites = createSiteRegistry(reserved);
  const rulesByKey = new Map<string, LiveRules>();
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;

  const rulesAt = (websiteId: number, environment: Environment): LiveRules =>
    rulesByKey.get(keyOf(websiteId, environment)) ?? NOTHING_LIVE;

  function liveAt(websiteId: number, environment: Environment): LiveSite | undefined {
    const site = sites.get(websiteId);
    return site && { site, environment, rules: rulesAt(websiteId, environment), redirectTo: null };
  }

  function lookUp(hostname: string): LiveSite | undefined {
    const at = sites.byHostname(hostname);
    const live = at && liveAt(at.websiteId, at.environment);
    if (!live) return undefined;
    live.redirectTo = at.redirectTo;
    live.unrecordedHost = at.hostname;
    return live;
  }
  const visited = createVisited(lookUp);
  const listeners: ((websiteId: number, environment?: Environment) => void)[] = [];
  const changed = (websiteId: number, environment?: Environment): void => {
    visited.clear();
    for (const listener of listeners) listener(websiteId, environment);
  };

  const totals: LiveTotals = { rules: 0, bytes: 0, versions: 0 };
  return {
    websiteIds: sites.ids,
    /** The website of a host (lower case, no port), or of the longest wildcard above it; undefined if no host matches. */
    byHostname: visited.byHostname,
    recordRequest: visited.recordRequest,
    takeRequested: visited.takeRequested,
    /** Hosts and wildcards of websites that contain a host of the service. */
    hostClashes: sites.clashes,
    ...elsewhereOf(sites, changed),
    /** The live rules of an environment with their website; undefined if the website is unknown. */
    live: liveAt,
    /** The live rules of an environment; NOTHING_LIVE if none are known. */
    rules: rulesAt,
    /** Adds or replaces a website. Its former hosts stop responding for it. */
    setSite(site: Site) {
      sites.set(site);
      changed(site.id);
    },
    setRules(websiteId: number, environment: Environment, rules: LiveRules) {
      const key = keyOf(websiteId, environment);
      add(totals, rulesByKey.get(key), -1);
      add(totals, rules, 1);
      rulesByKey.set(key, rules);
      changed(websiteId, environment);
    },
    /** Removes a website with its hosts and rules. */
    remove(websiteId: number) {
      sites.remove(websiteId);
      for (const environment of ENVIRONMENTS) {
        const key = keyOf(websiteId, environment);
        add(totals, rulesByKey.get(key), -1);
        rulesByKey.delete(key);
      }
      changed(websiteId);
    },
    /** Sums over all environments. */
    totals: () => totals,
    /** Calls `listener` after each change. Without `environment`, the website itself changed or was removed. */
    observe: (listener: (websiteId: number, environment?: Environment) => void) => void listeners.push(listener),
  };
}

/**
 * Websites by hostname, looked up since the last change: one lookup for a visitor instead of three. Also records which
 * hosts visitors request.
 */
function createVisited(lookUp: (hostname: string) => LiveSite | undefined) {
  const visited = new Map<string, LiveSite>();
  let requested = new Set<string>();
  function add(hostname: string): LiveSite | undefined {
    const live = lookUp(hostname);
    if (!live) return undefined;
    if (visited.size === MAX_VISITED) visited.clear();
    visited.set(detachString(hostname), live);
    return live;
  }
  return {
    clear: () => visited.clear(),
    byHostname: (hostname: string) => visited.get(hostname) ?? add(hostname),
    /** Records a request of a visitor at the host. */
    recordRequest(live: LiveSite) {
      if (live.unrecordedHost === undefined) return;
      requested.add(live.unrecordedHost);
      live.unrecordedHost = undefined;
    },
    /** Returns the hosts and wildcards that visitors have requested since the last call. */
    takeRequested(): string[] {
      const taken = [...requested];
      requested = new Set();
      visited.clear();
      return taken;
    },
  };
}

/** Hosts below wildcards that belong to websites of other processes. No website responds for them here. */
function elsewhereOf(sites: ReturnType<typeof createSiteRegistry>, changed: (websiteId: number) => void) {
  return {
    wildcards: sites.wildcards,
    elsewhere: sites.elsewhere,
    setElsewhere(ids: number[] | 'all', found: HostsElsewhere[]) {
      if (found.length === 0 && sites.elsewhere().length === 0) return;
      const before = sites.elsewhere();
      sites.setElsewhere(ids, found);
      for (const { id } of [...before, ...found]) changed(id);
    },
  };
}

function add(totals: LiveTotals, rules: LiveRules | undefined, sign: 1 | -1): void {
  if (!rules) return;
  totals.rules += sign * rules.ruleset.size;
  totals.bytes += sign * rules.ruleset.bytes;
  totals.versions += sign * rules.version;
}
