/** The sources of rules of an edge: a list, and the feed of a website. */
import type { FeedHost } from '../feed-client/feed-lines.ts';
import { createFeedRules } from '../feed-client/feed-rules.ts';
import { followFeed, type Follower } from '../feed-client/follow-feed.ts';
import type { FeedSource } from '../feed-client/request-feed.ts';
import { createSlices, pauseByTimer } from '../feed-client/slices.ts';
import type { AnswerOptions } from '../resolver/answer.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import type { DomainRedirect } from '../resolver/own-hosts.ts';
import type { Rule } from '../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../resolver/ruleset.ts';

export interface LiveRules {
  ruleset: Ruleset;
  options: AnswerOptions;
  /** the redirect of a whole host; null if it has none */
  redirectAt: (host: string) => DomainRedirect | null;
}

export interface RulesSource {
  /** undefined: no rules have arrived yet */
  live(): LiveRules | undefined;
  version(): number | null;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The options that the application has set, which take precedence over those of the website. */
export type SiteOptions = Partial<AnswerOptions>;

const DEFAULTS: AnswerOptions = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass', fallbackUrl: null };

/** Rules that never change. The ruleset is built when it is first needed. */
export function staticRules(rules: readonly Rule[], site: SiteOptions): RulesSource {
  let built: LiveRules | undefined;
  function live(): LiveRules {
    if (built) return built;
    const draft = emptyRuleset().fork();
    for (const rule of rules) draft.add(rule);
    built = { ruleset: draft.seal(), options: { ...DEFAULTS, ...site }, redirectAt: () => null };
    return built;
  }
  return {
    live,
    version: () => null,
    ready: async () => void live(),
    close: async () => {},
  };
}

/** The feed of a website, and the receiver of its failures. */
export interface FollowedFeed {
  source: FeedSource;
  onError: (error: Error) => void;
}

/** The live rules of a website. Following starts at the first use. */
export function followRules({ source, onError }: FollowedFeed, site: SiteOptions): RulesSource {
  let current: LiveRules | undefined;
  let version: number | null = null;
  let follower: Follower | undefined;
  let isClosed = false;
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];

  const settle = (error?: Error): void => {
    const waiters = waiting;
    waiting = [];
    for (const { resolve, reject } of waiters) {
      if (error) reject(error);
      else resolve();
    }
  };
  const target = createFeedRules({
    slices: createSlices(pauseByTimer),
    onRules({ head, ruleset }) {
      const { case_sensitive, trailing_slash, query, fallback_url } = head.options;
      const options = {
        caseSensitive: case_sensitive,
        trailingSlash: trailing_slash,
        query,
        fallbackUrl: fallback_url,
      };
      current = { ruleset, options: { ...options, ...site }, redirectAt: domainRedirects(head.options.hosts) };
      version = head.version;
      settle();
    },
  });
  function start(): void {
    if (isClosed) return;
    follower ??= followFeed({
      source,
      target,
      onProblem({ error }) {
        onError(error);
        settle(error);
      },
    });
  }
  return {
    live() {
      if (!current) start();
      return current;
    },
    version: () => version,
    ready() {
      if (current) return Promise.resolve();
      if (isClosed) return Promise.reject(new Error('the edge is closed: create another one'));
      start();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async close() {
      isClosed = true;
      settle(new Error('the edge was closed before its rules arrived'));
      await follower?.stop();
    },
  };
}

function domainRedirects(hosts: FeedHost[]): LiveRules['redirectAt'] {
  const table = hostTableOf(hosts);
  return (host) => {
    const to = table.find(host)?.redirect_to;
    return to ? { url: to.url, statusCode: to.status_code, keepPath: to.keep_path } : null;
  };
}
