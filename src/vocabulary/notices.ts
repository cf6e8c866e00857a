/** Kinds, channels and states of notices. */

export const NOTICE_KINDS = [
  'deployment.failed',
  'check.broken',
  'urls.lost',
  'not_found.burst',
  'redirect.ends_soon',
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
