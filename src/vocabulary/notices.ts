/** Kinds, channels and states of notices. */

export const NOTICE_KINDS = [
  'deployment.failed',
  'check.broken',
  'urls.lost',
  'loops.live',
  'expectations.failing',
  'not_found.burst',
  'redirect.ends_soon',
  'key.ends_soon',
  'agent.lagging',
  'webhook.disabled',
  'quota.near',
  'digest.weekly',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Channels of a notice. Those other than `email` are incoming webhooks of the product. */
export const NOTICE_CHANNELS = ['email', 'slack', 'teams', 'discord'] as const;

export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** `unconfirmed`: the address has not been confirmed. `failing`: deactivated after 8 days without a success. */
export const NOTICE_STATUSES = ['unconfirmed', 'active', 'unsubscribed', 'failing'] as const;

export type NoticeStatus = (typeof NOTICE_STATUSES)[number];

/** The data of each kind, as its trigger stores it. All names and paths are text of others. */
export interface SignalData {
  'deployment.failed': { website: string; environment: string; deploymentId: string; error: string };
  /** a target that does not answer as it should (live checks) */
  'check.broken': { website: string; environment: string; path: string; target: string; problem: string };
  /** `lost` URLs without an answer, `before` at the last look; up to 3 `examples` */
  'urls.lost': { website: string; environment: string; lost: number; before: number; examples: string[] };
  /** how many `redirects` are in loops, or at least, and the `path` of one */
  'loops.live': { website: string; environment: string; redirects: number; isAtLeast: boolean; path: string };
  /** how many are `failing` in the last run against the live rules, or at least, and the `url` of the first */
  'expectations.failing': { website: string; environment: string; failing: number; isAtLeast: boolean; url: string };
  /** `path` null: of the whole website. `hits` by people within 60 minutes; `median`: of an hour in the last 7 days, null: unknown */
  'not_found.burst': { website: string; environment: string; path: string | null; hits: number; median: number | null };
  /** `at` in ISO 8601, with whole seconds */
  'redirect.ends_soon': { website: string; path: string; target: string | null; at: string };
  /** an API key; `at` as above */
  'key.ends_soon': { keyName: string; keyId: string; at: string };
  /** `behindSeconds`: it serves an older version since; null: it has not been seen since `lastSeenAt` */
  'agent.lagging': {
    website: string;
    environment: string;
    agent: string;
    behindSeconds: number | null;
    lastSeenAt: string;
  };
  'webhook.disabled': { webhook: string; webhookId: string; reason: 'gone' | 'failing' };
  /** `quota` in words, such as `redirects` or `websites` */
  'quota.near': { quota: string; used: number; limit: number };
  'digest.weekly': Digest;
}

/** The week from `from` to `to`, days in ISO 8601, inclusive. */
export interface Digest {
  from: string;
  to: string;
  /** hits by people of all websites, those of the week before, and how many websites there are */
  hits: number;
  hitsBefore: number;
  websiteCount: number;
  /** hits by people of each website, by hits, up to 10 */
  websites: { website: string; hits: number; before: number }[];
  /** redirects with the most hits, up to 5 */
  topRedirects: { website: string; path: string; hits: number }[];
  /** unmatched paths first seen in the week, by hits, up to 5 */
  newUnmatched: { website: string; path: string; hits: number }[];
  /** redirects whose window ends within 7 days, up to 5, and how many there are */
  endsSoon: { website: string; path: string; at: string }[];
  endsSoonCount: number;
  /** who changed redirects, by changes, up to 5 */
  changes: { by: string; changes: number; redirects: number }[];
}

/** The place that a message links to. `websiteId` null: of no website. */
export interface SignalPlace {
  websiteId: number | null;
  environment: string | null;
  path: string | null;
}
