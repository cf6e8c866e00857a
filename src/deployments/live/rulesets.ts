/**
 * What is live, in memory: every website's hosts, options and rules, as the edge answers from them. Loaded at start, then kept up by
 * the difference between versions: told by NOTIFY, and by a poll of what changed in the last seconds should a NOTIFY be missed.
 */
import { type Db, withClient } from '../../db/client.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { type Candidate, candidateFor } from './candidate.ts';
import { createSiteRegistry, readChangedSince, readSites, type Site } from './site-registry.ts';
import { createKeyedSemaphore } from '../../platform/semaphore.ts';
import { readLive } from './live.ts';
import type { RulesPointer } from './rules-sql.ts';

/** What one environment of a website answers from. Replaced as a whole, never changed. */
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
  /** Loads everything; resolves when every live rule can be answered. */
  load(): Promise<void>;
  /** What answers for this hostname (lower case, no port), or undefined where it is not a website's. */
  byHostname(hostname: string): LiveSite | undefined;
  /** What is live in an environment, with its website; undefined where the website is not known. */
  live(websiteId: number, environment: Environment): LiveSite | undefined;
  /** Reads hosts and options of a website again. */
  refreshSite(websiteId: number): Promise<void>;
  /** Catches up with the live version of an environment, reading no more than what differs. */
  refreshRules(websiteId: number, environment: Environment): Promise<void>;
  /** Catches up with all that changed in the last `seconds`, or with everything. */
  resynchronise(seconds?: number): Promise<void>;
  /**
   * Prepares the rules of `to` and hands them to `publish`, which calls `serve` with the version's number as the last thing before its
   * commit: whoever sees the version published is answered from it by this process. It resolves to false, or throws, where nothing was
   * published, and the rules before are served on. Nothing else changes this environment meanwhile.
   */
  publish(
    websiteId: number,
    environment: Environment,
    to: RulesPointer,
    publish: (candidate: Candidate, serve: (version: number) => void) => Promise<boolean>,
  ): Promise<void>;
}

const NOTHING: LiveRules = {
  version: 0,
  ruleset: emptyRuleset(),
  rulesEnv: 'production',
  rulesRev: 0,
  rulesMaxId: 0,
  targetHosts: null,
};

/** An empty registry; call `load` before answering from it. */
export function createRulesets(db: Db): Rulesets {
  const sites = createSiteRegistry();
  const store = createStore(db);

  async function readSite(websiteIds: number[] | 'all'): Promise<void> {
    const found = await readSites(db, websiteIds);
    const there = new Set(found.map((site) => site.id));
    for (const id of websiteIds === 'all' ? sites.ids() : websiteIds) {
      if (there.has(id)) continue;
      sites.forget(id);
      store.forget(id);
    }
    for (const site of found) sites.keep(site);
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
  forget(websiteId: number): void;
  catchUp(websiteId: number, environment: Environment): Promise<void>;
  catchUpAll(websiteIds: number[]): Promise<void>;
  publish: Rulesets['publish'];
}

/** The live rules by environment; whatever changes those of one environment does so in turn. */
function createStore(db: Db): Store {
  const rules = new Map<string, LiveRules>();
  const withMutex = createKeyedSemaphore<string>(1);
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;
  const get = (websiteId: number, environment: Environment): LiveRules =>
    rules.get(keyOf(websiteId, environment)) ?? NOTHING;

  async function catchUpNow(websiteId: number, environment: Environment): Promise<void> {
    const at = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
    const mine = get(websiteId, environment);
    if (!at || at.liveVersion === mine.version) return;
    const { ruleset } = await withClient(db, (client) => candidateFor(client, websiteId, mine, at));
    rules.set(keyOf(websiteId, environment), { ...pointerOf(at), version: at.liveVersion, ruleset });
  }

  const store: Store = {
    get,
    forget(websiteId) {
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
          // Should the commit have gone through after all, the next poll sees the version and catches up.
          if (!isPublished) rules.set(key, before);
        }
      }),
  };
  return store;
}

function pointerOf({ rulesEnv, rulesRev, rulesMaxId, targetHosts }: RulesPointer): RulesPointer {
  return { rulesEnv, rulesRev, rulesMaxId, targetHosts };
}
