/**
 * The entry to `live/`: hosts, options and live rules of every website, in memory, from which the edge responds. Loaded
 * at start, then patched by the difference between versions (see change-listener.ts).
 */
import { type Db, withClient } from '../../db/client.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Candidate } from './build-candidate.ts';
import { candidateFor } from './candidate.ts';
import { createSiteRegistry, readChangedSince, readSites, type Site } from './site-registry.ts';
import { createKeyedSemaphore } from '../../platform/semaphore.ts';
import { readLive } from './live.ts';
import type { RulesPointer } from './rules-sql.ts';

/** The live rules of one environment. Replaced as a whole, never changed. */
export interface LiveRules extends RulesPointer {
  version: number;
  ruleset: Ruleset;
}

/** A website as the edge sees it. */
export interface LiveSite {
  site: Site;
  environment: Environment;
  rules: LiveRules;
}

export interface Rulesets {
  /** Loads everything; resolves when every live rule can be served. */
  load(): Promise<void>;
  /** The website of a hostname (lower case, no port); undefined if no website has it. */
  byHostname(hostname: string): LiveSite | undefined;
  /** The live rules of an environment with their website; undefined if the website is unknown. */
  live(websiteId: number, environment: Environment): LiveSite | undefined;
  /** Reloads the hosts and options of a website. */
  refreshSite(websiteId: number): Promise<void>;
  /** Catches up with the live version of an environment by reading the difference. */
  refreshRules(websiteId: number, environment: Environment): Promise<void>;
  /** Catches up with what changed in the last `seconds`, or with everything. */
  resynchronise(seconds?: number): Promise<void>;
  /**
   * Prepares the rules of `to` and passes them to `publish`, which calls `serve` with the version's number just before
   * its commit. So a client that sees the version published also gets responses from it. If `publish` throws or
   * resolves to false, the previous rules stay live. Nothing else changes this environment while it runs.
   */
  publish(
    websiteId: number,
    environment: Environment,
    to: RulesPointer,
    publish: (candidate: Candidate, serve: (version: number) => void) => Promise<boolean>,
  ): Promise<void>;
}

/** The rules of an environment that was never deployed. */
export const NOTHING_LIVE: LiveRules = {
  version: 0,
  ruleset: emptyRuleset(),
  rulesEnv: 'production',
  rulesRev: 0,
  rulesMaxId: 0,
  targetHosts: null,
};

/** Creates an empty registry. Call `load` before serving from it. */
export function createRulesets(db: Db): Rulesets {
  const sites = createSiteRegistry();
  const store = createStore(db);

  async function readSite(websiteIds: number[] | 'all'): Promise<void> {
    const found = await readSites(db, websiteIds);
    const existing = new Set(found.map((site) => site.id));
    for (const id of websiteIds === 'all' ? sites.ids() : websiteIds) {
      if (existing.has(id)) continue;
      sites.remove(id);
      store.remove(id);
    }
    for (const site of found) sites.set(site);
  }

  const registry: Rulesets = {
    load: () => registry.resynchronise(),
    byHostname(hostname) {
      const at = sites.byHostname(hostname);
      return at && registry.live(at.websiteId, at.environment);
    },
    live(websiteId, environment) {
      const site = sites.get(websiteId);
      return site && { site, environment, rules: store.get(websiteId, environment) };
    },
    refreshSite: (websiteId) => readSite([websiteId]),
    refreshRules: store.catchUp,
    async resynchronise(seconds) {
      if (seconds === undefined) {
        await readSite('all');
        return store.catchUpAll(sites.ids());
      }
      const changed = await readChangedSince(db, seconds);
      if (changed.sites.length > 0) await readSite(changed.sites);
      if (changed.rules.length > 0) await store.catchUpAll(changed.rules);
    },
    publish: store.publish,
  };
  return registry;
}

interface Store {
  get(websiteId: number, environment: Environment): LiveRules;
  remove(websiteId: number): void;
  catchUp(websiteId: number, environment: Environment): Promise<void>;
  catchUpAll(websiteIds: number[]): Promise<void>;
  publish: Rulesets['publish'];
}

/** The live rules by environment. Changes of one environment run one at a time. */
function createStore(db: Db): Store {
  const rules = new Map<string, LiveRules>();
  const withMutex = createKeyedSemaphore<string>(1);
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;
  const get = (websiteId: number, environment: Environment): LiveRules =>
    rules.get(keyOf(websiteId, environment)) ?? NOTHING_LIVE;

  async function catchUpNow(websiteId: number, environment: Environment): Promise<void> {
    const at = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
    const current = get(websiteId, environment);
    if (!at || at.liveVersion === current.version) return;
    const { ruleset } = await withClient(db, (client) => candidateFor(client, websiteId, current, at));
    rules.set(keyOf(websiteId, environment), { ...pointerOf(at), version: at.liveVersion, ruleset });
  }

  const store: Store = {
    get,
    remove(websiteId) {
      for (const environment of ENVIRONMENTS) rules.delete(keyOf(websiteId, environment));
    },
    catchUp: (websiteId, environment) =>
      withMutex(keyOf(websiteId, environment), () => catchUpNow(websiteId, environment)),
    async catchUpAll(websiteIds) {
      for (const at of await readLive(db, websiteIds)) {
        if (at.liveVersion !== get(at.websiteId, at.environment).version)
          await store.catchUp(at.websiteId, at.environment);
      }
    },
    publish: (websiteId, environment, to, publish) =>
      withMutex(keyOf(websiteId, environment), async () => {
        await catchUpNow(websiteId, environment);
        const key = keyOf(websiteId, environment);
        const before = get(websiteId, environment);
        const candidate = await withClient(db, (client) => candidateFor(client, websiteId, before, to));
        const { ruleset } = candidate;
        const serve = (version: number): void => void rules.set(key, { ...pointerOf(to), version, ruleset });
        let isPublished = false;
        try {
          isPublished = await publish(candidate, serve);
        } finally {
          // If the commit succeeded after all, the next poll catches up.
          if (!isPublished) rules.set(key, before);
        }
      }),
  };
  return store;
}

function pointerOf({ rulesEnv, rulesRev, rulesMaxId, targetHosts }: RulesPointer): RulesPointer {
  return { rulesEnv, rulesRev, rulesMaxId, targetHosts };
}
