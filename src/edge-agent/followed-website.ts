/** One website of an agent: its disk copy, its feed and its hits. */
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createFeedRules, type FeedRules } from '../feed-client/feed-rules.ts';
import { type Follower, followFeed } from '../feed-client/follow-feed.ts';
import type { FeedSource, Fetch } from '../feed-client/request-feed.ts';
import { createSlices } from '../feed-client/slices.ts';
import type { Clock } from '../platform/clock.ts';
import { isErrorCode } from '../platform/log/error-summary.ts';
import type { Log } from '../platform/log/log.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { NONCE_HEADER } from '../vocabulary/checks.ts';
import type { CopyWriter } from './copy-writer.ts';
import type { WebsiteNames } from './find-website.ts';
import { createHitReporter, type HitReporter } from './hits/hit-reporter.ts';
import type { AgentOptions, WantedWebsite } from './options.ts';
import { nodeFetch } from './node-fetch.ts';
import { readCopy } from './rules-copy.ts';
import { createWebsiteStatus, type WebsiteStatus } from './website-status.ts';

/** The hits of one website and environment. */
export interface WebsiteHits {
  websiteId: number;
  environment: Environment;
  reporter: HitReporter;
}

export interface FollowedWebsiteOptions {
  wanted: WantedWebsite;
  agent: AgentOptions;
  names: WebsiteNames;
  copies: CopyWriter;
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
  /** Serves these rules from now on. */
  serve: (id: number, environment: Environment, rules: FeedRules) => void;
}

const RETRY_NAME_MS = 5_000;
const LOADING_WHOLE =
  'the service does not have this version: it is too old, or the database of the service went back in time; all rules are loaded';

export type FollowedWebsite = ReturnType<typeof createFollowedWebsite>;

/** Creates a website that is not followed yet. */
export function createFollowedWebsite(options: FollowedWebsiteOptions) {
  const { wanted, agent, names, copies, log } = options;
  const { environment } = wanted;
  const stopping = new AbortController();
  const status = createWebsiteStatus(wanted, log);
  const stored = names.stored(wanted.website);
  let current: FeedRules | undefined;
  let hits: WebsiteHits | undefined;
  const feed = createNonceFetch();
  const copyOf = (websiteId: number) => ({ url: agent.url, websiteId, environment });
  let following: Promise<Follower | undefined> | undefined;
  if (stored !== undefined) setId(stored);

  function setId(id: number): void {
    status.named(id);
    hits ??= startHits(options, id);
  }

  async function follow(): Promise<Follower | undefined> {
    const id = stored ?? (await findId(options, status, stopping.signal));
    if (id === undefined) return undefined;
    setId(id);
    return followFrom(options, id, { status, fetch: feed.fetch, initial: current });
  }

  async function stop(timeoutMs: number): Promise<void> {
    stopping.abort(new Error('the agent stops'));
    await (await following)?.stop();
    await hits?.reporter.stop(timeoutMs);
  }

  return {
    environment,
    state: status.read,
    head: status.head,
    isDenied: status.isDenied,
    /** undefined until the service has named the id of the website */
    hits: () => hits,
    /** of live checks of the website; undefined until the service has responded */
    nonce: feed.nonce,
    /** Serves the disk copy, if there is one. Never throws. */
    async loadCopy() {
      if (stored === undefined) return;
      try {
        await copies.prepare(copyOf(stored));
        current = await readCopy(agent.dataDir, copyOf(stored));
        options.serve(stored, environment, current);
        status.serving(current, 'copy');
      } catch (err) {
        if (!isErrorCode(err, 'ENOENT')) log.warn({ ...wanted, err }, 'the disk copy cannot be used');
      }
    },
    /** Starts to follow the feed, and to report hits. */
    start: () => void (following = follow()),
    stop,
    /** Stops for good, and removes the disk copy. Hits that cannot be reported stay on disk. */
    async end() {
      await stop(0);
      if (stored !== undefined) await copies.forget(copyOf(stored));
    },
  };
}

/** Follows the feed: serves and stores what it leads to. */
function followFrom(
  { wanted, agent, copies, log, serve }: FollowedWebsiteOptions,
  id: number,
  { status, fetch, initial }: { status: WebsiteStatus; fetch: Fetch; initial: FeedRules | undefined },
): Follower {
  const { environment } = wanted;
  return followFeed({
    source: { ...sourceOf(agent, id, environment), fetch },
    target: createFeedRules({
      initial,
      slices: createSlices(nextTurn),
      onRules(rules) {
        serve(id, environment, rules);
        status.serving(rules, 'service');
        copies.changed({ url: agent.url, websiteId: id, environment }, rules);
      },
    }),
    onCurrent: status.confirmed,
    onExpired: (version) => log.warn({ ...wanted, version }, LOADING_WHOLE),
    onProblem: ({ error, isDenied }) => status.failed(error, isDenied),
    pause: nextTurn,
  });
}

/** Reads the nonce of live checks from responses of the service. */
function createNonceFetch(): { fetch: Fetch; nonce: () => string | undefined } {
  let nonce: string | undefined;
  return {
    async fetch(...request) {
      const response = await nodeFetch(...request);
      nonce = response.headers.get(NONCE_HEADER) ?? nonce;
      return response;
    },
    nonce: () => nonce,
  };
}

function sourceOf(
  { url, apiKey, name }: AgentOptions,
  id: number,
  environment: Environment,
): Omit<FeedSource, 'fetch'> {
  return { url, apiKey, websiteId: String(id), environment, agent: { name, kind: 'edge' } };
}

/** Asks the service until it responds. Undefined if the agent stops. */
async function findId(
  { wanted, names }: FollowedWebsiteOptions,
  status: WebsiteStatus,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    try {
      return await names.find(wanted.website, signal);
    } catch (error) {
      if (!signal.aborted) status.failed(error);
      await sleep(RETRY_NAME_MS, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

function startHits({ wanted, agent, clock, log }: FollowedWebsiteOptions, websiteId: number): WebsiteHits {
  const { url, apiKey, dataDir, name } = agent;
  const { environment } = wanted;
  const reporter = createHitReporter({
    endpoint: { url, key: apiKey, websiteId, environment },
    agent: name,
    dir: join(dataDir, 'hits', `${websiteId}-${environment}`),
    clock,
    onError: (err) => log.warn({ website: wanted.website, err }, 'hits are not reported'),
  });
  reporter.start();
  return { websiteId, environment, reporter };
}
