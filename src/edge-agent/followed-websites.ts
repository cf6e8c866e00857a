/** The websites of an agent: those of the command line, and for `all` those that the key may read at the time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stopwatch } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { pauseAfter } from '../vocabulary/backoff.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { WebsiteNames } from './find-website.ts';
import type { FollowedWebsite } from './followed-website.ts';
import { ALL, type WantedWebsite } from './options.ts';

export interface FollowedWebsitesOptions {
  wanted: WantedWebsite[];
  names: WebsiteNames;
  log: Pick<Log, 'warn' | 'error'>;
  /** Creates a website that is not followed yet. */
  create: (wanted: WantedWebsite) => FollowedWebsite;
  /** Serves a website no longer. */
  remove: (id: number) => void;
}

/** A new website is followed within five seconds. */
const LIST_MS = 3_000;
const MAX_RETRY_MS = 30_000;
/** A list that took 1 s is requested again after 10 s: it has every host of the account. */
const PAUSE_PER_REQUEST = 10;
const LIST_FAILED = 'the websites of the key cannot be listed; the agent follows those that it has and retries';

export type FollowedWebsites = ReturnType<typeof createFollowedWebsites>;

export function createFollowedWebsites({ wanted, names, log, create, remove }: FollowedWebsitesOptions) {
  const named = wanted.filter(({ website }) => website !== ALL).map(create);
  const environments = wanted.filter(({ website }) => website === ALL).map(({ environment }) => environment);
  /** by id; undefined until the key's websites are known */
  let listed: Map<number, FollowedWebsite[]> | undefined;
  /** those without which the agent is not ready: a later website must not stop the others */
  let awaited: readonly FollowedWebsite[] = named;
  let current: readonly FollowedWebsite[] = named;

  async function apply(ids: number[], isStarted: boolean): Promise<void> {
    const before = listed ?? new Map<number, FollowedWebsite[]>();
    const after = new Map<number, FollowedWebsite[]>();
    for (const id of ids)
      after.set(id, before.get(id) ?? environments.map((environment) => create({ website: String(id), environment })));
    const added = [...after].flatMap(([id, websites]) => (before.has(id) ? [] : websites));
    const gone = [...before].filter(([id]) => !after.has(id));
    current = [...named, ...[...after.values()].flat()];
    if (listed) awaited = awaited.filter((one) => current.includes(one));
    else awaited = current;
    listed = after;
    if (isStarted) for (const website of added) website.start();
    await Promise.all(
      gone.map(async ([id, websites]) => {
        await Promise.all(websites.map((website) => website.end()));
        remove(id);
      }),
    );
  }

  const listing = createListing(names, log, (ids) => apply(ids, true));
  return {
    list: () => current,
    awaited: () => awaited,
    /** Why the websites of the key are not known yet; undefined if they are, or are not wanted. */
    missingList: () => (environments.length === 0 || listed ? undefined : `the list of websites${listing.problem()}`),
    /** The website that answers requests of this id. */
    of(id: number, environment: Environment) {
      const isIt = (one: FollowedWebsite): boolean => one.environment === environment && one.hits()?.websiteId === id;
      return listed?.get(id)?.find(isIt) ?? named.find(isIt);
    },
    /** of live checks of a website */
    nonceOf: (id: number) => current.find(({ hits }) => hits()?.websiteId === id)?.nonce(),
    async loadCopies(): Promise<void> {
      const stored = environments.length > 0 ? names.storedList() : undefined;
      if (stored) await apply(stored, false);
      await Promise.all(current.map((website) => website.loadCopy()));
    },
    start(): void {
      for (const website of current) website.start();
      if (environments.length > 0) listing.start();
    },
    async stop(timeoutMs: number): Promise<void> {
      await listing.stop();
      await Promise.all(current.map((website) => website.stop(timeoutMs)));
    },
  };
}

/** Requests the ids of the key's websites again and again, and passes them on when they may have changed. */
function createListing(
  names: WebsiteNames,
  log: FollowedWebsitesOptions['log'],
  onIds: (ids: number[]) => Promise<void>,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let problem = '';
  let etag: string | undefined;

  async function request(): Promise<void> {
    const found = await names.list(etag, signal);
    if (found) await onIds(found.ids);
    etag = found ? found.etag : etag;
    problem = '';
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const startedAt = stopwatch();
      try {
        await request();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        if (message !== problem) log.error({ problem: message }, LIST_FAILED);
        problem = message;
        failures++;
      }
      const took = stopwatch() - startedAt;
      const pauseMs = Math.max(pauseAfter(failures, LIST_MS, MAX_RETRY_MS), took * PAUSE_PER_REQUEST);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  let following: Promise<void> | undefined;
  return {
    start: () => void (following = follow()),
    /** in brackets; empty after a success */
    problem: () => (problem === '' ? '' : ` (${problem})`),
    stop() {
      stopping.abort(new Error('the agent stops'));
      return following;
    },
  };
}
