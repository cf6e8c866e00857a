/**
 * The entry to `live/`: keeps the live rules in memory (live-registry.ts) in step with the database. Loads them at the
 * start, then patches them by the difference between versions (see change-listener.ts).
 */
import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection/client.ts';
import { readDatabaseId } from '../../db/settings.ts';
import type { EdgePart } from '../../platform/config/config.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { isWildcard } from '../../resolver/host-table.ts';
import type { Host } from '../../resolver/own-hosts.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { isSameVersion, type VersionId } from './database/history.ts';
import { type LiveEnvironmentRow, readLive } from './database/live.ts';
import { createLiveRegistry, type LiveRegistry, type LiveSite, NOTHING_LIVE } from './live-registry.ts';
import type { Place, PrepareRules, StoredLoops } from './candidate.ts';
import { createElsewhereReader } from './database/hosts-elsewhere.ts';
import { readChangedSince, readSites } from './database/read-sites.ts';
import type { LoadedSnapshots } from './snapshots/read-snapshots.ts';
import { createRecentChanges, type RecentChanges } from './recent-changes.ts';
import type { RulesPointer } from './database/rules-sql.ts';

/** Rules that are ready to be published as the next version. */
export type Candidate = NonNullable<Awaited<ReturnType<typeof prepareCandidate>>>;

export type Rulesets = ReturnType<typeof createRulesets>;

const NO_SNAPSHOTS: LoadedSnapshots = { databaseId: undefined, versions: [] };

interface RulesetsOptions {
  onLost?: (count: number) => void;
  part?: EdgePart | null;
}

/**
 * Keeps `registry` in step with the database. Call `load` before serving from an empty registry. `snapshots` names what
 * it has from files (deployments/live/snapshots/read-snapshots.ts): `load` patches them, or replaces them if the database does not confirm them.
 * Calls `onLost` after everything was compared because the database went back in time, with the number of live versions
 * that it did not know. `part` leaves out all websites but these.
 */
export function createRulesets(
  db: Db,
  prepare: PrepareRules,
  registry = createLiveRegistry(),
  snapshots = NO_SNAPSHOTS,
  { onLost = () => {}, part = null }: RulesetsOptions = {},
) {
  const ready = createSnapshotCheck(db, registry, snapshots);
  const recent = createRecentChanges(registry);
  const readElsewhere = part ? createElsewhereReader(db, registry, part) : async () => {};
  let lost = 0;
  /** A process with a part reads nothing for edits of other websites. The next poll finds a new one of its own. */
  const isFollowed = (id: number): boolean => part === null || registry.live(id, 'production') !== undefined;
  const store = createStore({ db, prepare, registry, ready, recent, onLost: () => void lost++ });

  async function readSite(websiteIds: number[] | 'all'): Promise<void> {
    await ready();
    const found = await readSites(db, websiteIds, part);
    const existing = new Set(found.map((site) => site.id));
    for (const id of websiteIds === 'all' ? registry.websiteIds() : websiteIds) {
      if (!existing.has(id) && isFollowed(id)) registry.remove(id);
    }
    for (const { changedAt, ...site } of found) {
      registry.setSite(site);
      recent.addSite(site.id, changedAt);
    }
    await readElsewhere(websiteIds);
  }

  /** Compares everything with the database. */
  async function compareAll(): Promise<void> {
    await readSite('all');
    await store.catchUpAll(registry.websiteIds());
    if (lost > 0) onLost(lost);
    lost = 0;
  }

  let comparedAt = stopwatch();
  async function resynchronise(seconds?: number): Promise<void> {
    const startedAt = stopwatch();
    if (seconds === undefined) await compareAll();
    else {
      const changed = await readChangedSince(db, seconds, recent.list());
      if (changed.sites.length > 0) await readSite(changed.sites);
      const rules = changed.rules.filter(isFollowed);
      if (rules.length > 0) await store.catchUpAll(rules);
      if (changed.wentBack || lost > 0) await compareAll();
    }
    comparedAt = startedAt;
  }

  return {
    byHostname: registry.byHostname,
    live: registry.live,
    observe: registry.observe,
    /** Loads everything; resolves when every live rule can be served. */
    load: () => resynchronise(),
    /** Reloads the hosts and options of a website. */
    refreshSite: (websiteId: number) => readSite([websiteId]),
    /** Catches up with the live version of an environment by reading the difference. */
    refreshRules: async (websiteId: number, environment: Environment) => {
      if (isFollowed(websiteId)) await store.catchUp(websiteId, environment);
    },
    /** Catches up with what changed in the last `seconds`, or with everything. */
    resynchronise,
    /** Seconds since the rules were last compared with the database; before the first time, since the creation. */
    secondsBehind: () => (stopwatch() - comparedAt) / 1_000,
    /**
     * Prepares the rules of `to`, with all their loops. `known` are the loops of the live version; null if unknown.
     * Nothing else changes this environment until the candidate is released. Undefined if no website has the id.
     */
    prepare: store.prepare,
  };
}

interface StoreDeps {
  db: Db;
  prepare: PrepareRules;
  registry: LiveRegistry;
  ready: () => Promise<void>;
  recent: RecentChanges;
  /** The database did not know a live version of this process. */
  onLost: () => void;
}

/** Changes the live rules. Changes of one environment run one at a time. */
function createStore(deps: StoreDeps) {
  const { db, prepare, registry, ready, recent, onLost } = deps;
  const withMutex = createKeyedSemaphore<string>(1);
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;

  async function catchUpNow(websiteId: number, environment: Environment): Promise<void> {
    await ready();
    const at = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
    const current = registry.rules(websiteId, environment);
    if (!at || isSameVersion(idOf(at), current)) return;
    if (at.liveVersion === 0) {
      registry.setRules(websiteId, environment, NOTHING_LIVE);
      onLost();
    } else {
      // The former rules respond until the right ones are complete.
      const input = { websiteId, environment, from: current, to: pointerOf(at) };
      const { ruleset, isLost } = await prepare(input);
      registry.setRules(websiteId, environment, { ...pointerOf(at), ...idOf(at), ruleset });
      if (isLost) onLost();
    }
    recent.addRules(websiteId, environment);
  }

  const catchUp = (websiteId: number, environment: Environment): Promise<void> =>
    withMutex(keyOf(websiteId, environment), () => catchUpNow(websiteId, environment));

  return {
    catchUp,
    async catchUpAll(websiteIds: number[]): Promise<void> {
      await ready();
      for (const row of await readLive(db, websiteIds)) {
        const { websiteId, environment } = row;
        const isCurrent = isSameVersion(idOf(row), registry.rules(websiteId, environment));
        if (isCurrent) recent.addRules(websiteId, environment);
        else await catchUp(websiteId, environment);
      }
    },
    prepare(
      websiteId: number,
      environment: Environment,
      { to, known }: Pick<CandidateInput, 'to' | 'known'>,
    ): Promise<Candidate | undefined> {
      const prepared = Promise.withResolvers<Candidate | undefined>();
      const hold = async (): Promise<void> => {
        const released = Promise.withResolvers<void>();
        await catchUpNow(websiteId, environment);
        const input = { websiteId, environment, to, known };
        const candidate = await prepareCandidate(deps, input, released.resolve);
        prepared.resolve(candidate);
        if (candidate) await released.promise;
      };
      withMutex(keyOf(websiteId, environment), hold).catch(prepared.reject);
      return prepared.promise;
    },
  };
}

interface CandidateInput extends Place {
  to: RulesPointer;
  known: StoredLoops | null;
}

/** Prepares a candidate from the live rules, which are current. Undefined if no website has the id. */
async function prepareCandidate(
  { prepare, registry, recent, onLost }: StoreDeps,
  { websiteId, environment, to, known }: CandidateInput,
  onReleased: () => void,
) {
  const live = registry.live(websiteId, environment);
  if (!live) return undefined;
  const { rules: before } = live;
  const { scope, loopsIn } = searchIn(live, known);
  const prepared = await prepare({ websiteId, environment, from: before, to: pointerOf(to), loopsIn });
  if (prepared.isLost) onLost();
  const { ruleset, starts } = prepared;
  return {
    /** the live version from which it was prepared */
    base: before as VersionId,
    to,
    prepared,
    /** its loops, to store with it; null if there are too many */
    loops: starts ? { scope, starts } : null,
    /** Serves it. Call it just before the commit: a client that sees the version also gets responses from it. */
    swap({ version, history }: VersionId) {
      registry.setRules(websiteId, environment, { ...pointerOf(to), version, history, ruleset });
      recent.addRules(websiteId, environment);
    },
    /** Call it at the end, whatever happens. Unless it was published, the previous rules are live again. */
    release(isPublished: boolean) {
      // If the commit succeeded after all, the next poll catches up.
      if (!isPublished) registry.setRules(websiteId, environment, before);
      onReleased();
    },
  };
}

/**
 * Returns a function that compares the files with the database, once: removes the websites of another database from
 * memory. Their versions are compared as those of any process.
 */
function createSnapshotCheck(db: Db, registry: LiveRegistry, { databaseId }: LoadedSnapshots): () => Promise<void> {
  let checked: Promise<void> | undefined;

  async function check(): Promise<void> {
    if (databaseId === undefined || (await readDatabaseId(db)) === databaseId) return;
    for (const id of registry.websiteIds()) registry.remove(id);
  }

  return () =>
    (checked ??= check().catch((error: unknown) => {
      checked = undefined;
      throw error;
    }));
}

const idOf = ({ liveVersion, history }: LiveEnvironmentRow): VersionId => ({ version: liveVersion, history });

function pointerOf({ rulesEnv, rulesRev, rulesMaxId, targetHosts }: RulesPointer): RulesPointer {
  return { rulesEnv, rulesRev, rulesMaxId, targetHosts };
}

/** Loops depend on the options and hosts, so a change of these starts a new search. */
export function searchIn({ site, environment }: Pick<LiveSite, 'site' | 'environment'>, known: StoredLoops | null) {
  const { caseSensitive, trailingSlash, query, hosts } = site;
  const options = { caseSensitive, trailingSlash, query };
  const scope = scopeOf(options, hosts, environment);
  return { scope, loopsIn: { options, hosts, environment, known: known?.scope === scope ? known.starts : undefined } };
}

/** The options and hosts of a search for loops, as a short text: a website may have 10,000 hosts. */
function scopeOf(options: MatchOptions, hosts: readonly Host[], environment: Environment): string {
  const own = hosts.filter((host) => host.environment === environment);
  // A wildcard also depends on the exact hosts of other environments.
  const all = hosts.some(({ hostname }) => isWildcard(hostname)) ? hosts : own;
  const texts = all.map((host) => JSON.stringify([host.hostname, host.environment, host.redirectTo ?? null]));
  return createHash('sha256')
    .update(JSON.stringify([options, texts.toSorted()]))
    .digest('base64url');
}
