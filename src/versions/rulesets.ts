/**
 * What is live, in memory: every website's hosts, options and rules, as the edge answers from them. Loaded at start, then kept up by
 * the difference between versions: told by NOTIFY, and by a poll of what changed in the last seconds should a NOTIFY be missed.
 */
import { type Db, withClient } from '../db/client.ts';
import { emptyRuleset, type Ruleset } from '../resolver/ruleset.ts';
import { type Environment, ENVIRONMENTS } from '../vocabulary/environment.ts';
import { type Candidate, candidateFor } from './candidate.ts';
import { readChangedSince, readSites, type Site } from './sites.ts';
import { readLive } from './live.ts';
import type { RulesPointer } from './rules-at.ts';

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
   * Prepares the rules of `to`, hands them to `publish`, and answers from them once it has committed (it returns the version);
   * when it returns undefined or throws, nothing changes. Nothing else changes this environment meanwhile.
   */
  publish(
    websiteId: number,
    environment: Environment,
    to: RulesPointer,
    publish: (candidate: Candidate) => Promise<number | undefined>,
  ): Promise<void>;
}

const NOTHING: LiveRules = {
  version: 0,
  ruleset: emptyRuleset(),
  rulesEnv: 'production',
  rulesRev: 0,
  rulesMaxId: 0,
};

/** An empty registry; call `load` before answering from it. */
export function createRulesets(db: Db): Rulesets {
  const sites = new Map<number, Site>();
  const hostnames = new Map<string, { websiteId: number; environment: Environment }>();
  const rules = new Map<string, LiveRules>();
  const turns = new Map<string, Promise<unknown>>();
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;

  /** One at a time for each environment, in the order asked. */
  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, turn);
    const done = (): void => void (turns.get(key) === turn && turns.delete(key));
    turn.then(done, done);
    return turn;
  }

  function forget(websiteId: number): void {
    for (const { hostname } of sites.get(websiteId)?.hosts ?? []) {
      if (hostnames.get(hostname)?.websiteId === websiteId) hostnames.delete(hostname);
    }
    sites.delete(websiteId);
  }

  function keep(site: Site): void {
    forget(site.id);
    sites.set(site.id, site);
    for (const { hostname, environment } of site.hosts) hostnames.set(hostname, { websiteId: site.id, environment });
  }

  async function readSite(websiteIds: number[] | 'all'): Promise<void> {
    const found = await readSites(db, websiteIds);
    const ids = new Set(found.map((site) => site.id));
    for (const id of websiteIds === 'all' ? [...sites.keys()] : websiteIds) {
      if (ids.has(id)) continue;
      forget(id);
      for (const environment of ENVIRONMENTS) rules.delete(keyOf(id, environment));
    }
    for (const site of found) keep(site);
  }

  async function catchUp(websiteId: number, environment: Environment): Promise<void> {
    const key = keyOf(websiteId, environment);
    const at = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
    const mine = rules.get(key) ?? NOTHING;
    if (!at || at.liveVersion === mine.version) return;
    const { ruleset } = await withClient(db, (client) => candidateFor(client, websiteId, mine, at));
    rules.set(key, { ...pointerOf(at), version: at.liveVersion, ruleset });
  }

  async function behind(websiteIds: number[]): Promise<void> {
    const stale = (await readLive(db, websiteIds)).filter(
      (at) => at.liveVersion !== (rules.get(keyOf(at.websiteId, at.environment)) ?? NOTHING).version,
    );
    for (const at of stale) {
      await inTurn(keyOf(at.websiteId, at.environment), () => catchUp(at.websiteId, at.environment));
    }
  }

  const registry: Rulesets = {
    async load() {
      await registry.resynchronise();
    },
    byHostname(hostname) {
      const at = hostnames.get(hostname);
      return at && registry.live(at.websiteId, at.environment);
    },
    live(websiteId, environment) {
      const site = sites.get(websiteId);
      return site && { site, environment, rules: rules.get(keyOf(websiteId, environment)) ?? NOTHING };
    },
    refreshSite: (websiteId) => readSite([websiteId]),
    refreshRules: (websiteId, environment) =>
      inTurn(keyOf(websiteId, environment), () => catchUp(websiteId, environment)),
    async resynchronise(seconds) {
      if (seconds === undefined) {
        await readSite('all');
        return behind([...sites.keys()]);
      }
      const changed = await readChangedSince(db, seconds);
      if (changed.sites.length > 0) await readSite(changed.sites);
      if (changed.rules.length > 0) await behind(changed.rules);
    },
    publish: (websiteId, environment, to, publish) =>
      inTurn(keyOf(websiteId, environment), async () => {
        await catchUp(websiteId, environment);
        const key = keyOf(websiteId, environment);
        const mine = rules.get(key) ?? { ...NOTHING, rulesEnv: environment };
        const candidate = await withClient(db, (client) => candidateFor(client, websiteId, mine, to));
        const version = await publish(candidate);
        if (version !== undefined) rules.set(key, { ...pointerOf(to), version, ruleset: candidate.ruleset });
      }),
  };
  return registry;
}

function pointerOf({ rulesEnv, rulesRev, rulesMaxId }: RulesPointer): RulesPointer {
  return { rulesEnv, rulesRev, rulesMaxId };
}
