import type { FeedHead } from '../feed-client/feed-lines.ts';
import type { FeedRules } from '../feed-client/feed-rules.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { WantedWebsite } from './options.ts';

/** The state of a website of an agent, for probes and metrics. */
export interface WebsiteState {
  /** as the command line names it */
  website: string;
  environment: Environment;
  /** undefined until the service has named it */
  id: number | undefined;
  /** 0: nothing yet */
  version: number;
  rules: number;
  /** `copy`: of its copy on disk; `service`: confirmed by the service since the start */
  source: 'none' | 'copy' | 'service';
  /** since the service last confirmed the rules; undefined: not since the start */
  secondsBehind: number | undefined;
  /** failed requests since the start */
  failures: number;
  /** the reason of the last failure; null after a success */
  problem: string | null;
}

const FEED_FAILED = 'the feed cannot be read; the agent serves what it has and retries';

export type WebsiteStatus = ReturnType<typeof createWebsiteStatus>;

/** Creates the status of a website, which logs each new problem once. */
export function createWebsiteStatus(wanted: WantedWebsite, log: Pick<Log, 'warn' | 'error'>) {
  let confirmedAt: number | undefined;
  let current: FeedHead | undefined;
  let isCutOff = false;
  const state: Omit<WebsiteState, 'secondsBehind'> = {
    ...wanted,
    id: undefined,
    version: 0,
    rules: 0,
    source: 'none',
    failures: 0,
    problem: null,
  };
  return {
    read: () => ({
      ...state,
      secondsBehind: confirmedAt === undefined ? undefined : (stopwatch() - confirmedAt) / 1_000,
    }),
    /** of what the agent serves */
    head: () => current,
    /** The service denies the feed to this agent. */
    isDenied: () => isCutOff,
    named: (id: number) => void (state.id = id),
    /** The agent serves these rules from now on. */
    serving({ head, ruleset }: FeedRules, source: 'copy' | 'service') {
      current = head;
      state.version = head.version;
      state.rules = ruleset.size;
      state.source = source;
    },
    /** The service has responded: the rules are current. */
    confirmed() {
      confirmedAt = stopwatch();
      isCutOff = false;
      state.source = 'service';
      state.problem = null;
    },
    /** A request has failed. `isDenied`: the operator must correct the key or the website. */
    failed(error: unknown, isDenied = false) {
      state.failures++;
      isCutOff = isDenied;
      const problem = error instanceof Error ? error.message : String(error);
      // A service that is away fails every request in the same way.
      if (problem !== state.problem) log[isDenied ? 'error' : 'warn']({ ...wanted, problem }, FEED_FAILED);
      state.problem = problem;
    },
  };
}
