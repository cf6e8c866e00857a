/** Notices, signals that wait, and causes that were reported. */
import { date, index, integer, jsonb, pgTable, primaryKey, sql, text } from '../drizzle.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { NoticeKind } from '../../vocabulary/notices.ts';
import { bytea, bytewise, createdAt, identity, ofEnvironment, time } from './columns.ts';
import { ownerAccount } from './accounts.ts';
import { webhooks } from './webhooks.ts';

/**
 * Who is notified of what. Its receiver in `webhooks` has the same id, the name, the channel and the health; `url` is the
 * address of an email, or the masked one of a chat, whose `secret` is the sealed URL. `is_active` is false there:
 * processes of earlier versions, which would send it as a webhook, claim nothing of an inactive one.
 */
export const notices = pgTable(
  'notices',
  {
    id: text()
      .primaryKey()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    accountId: ownerAccount(),
    kinds: text().array().$type<NoticeKind[]>().notNull(),
    /** null: all of the account, later ones too */
    websiteIds: integer().array(),
    /** IANA name; of the digest */
    timeZone: text().notNull(),
    /** when the person confirmed the address; null for a user of the account, whose address needs none */
    confirmedAt: time(),
    unsubscribedAt: time(),
    /** when the next digest is due; null without that kind */
    digestAt: time(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [index('notices_account_id_idx').on(t.accountId), index('notices_digest_at_idx').on(t.digestAt)],
);

/** Signals that are not reported yet. Written in the transaction of the change. */
export const noticeSignals = pgTable('notice_signals', {
  id: identity(),
  accountId: integer().notNull(),
  kind: text().$type<NoticeKind>().notNull(),
  websiteId: integer(),
  environment: text().$type<Environment>(),
  path: text(),
  /** SignalData of the kind */
  data: jsonb().notNull(),
  createdAt: createdAt(),
});

/** The last message of a notice about one cause: kind, website, environment and path. */
export const noticeCauses = pgTable(
  'notice_causes',
  {
    noticeId: text()
      .notNull()
      .references(() => notices.id, { onDelete: 'cascade' }),
    /** SHA-256 of the kind and the place */
    cause: bytea().notNull(),
    sentAt: time().notNull(),
    /** how often it happened since, and the last signal, which a message after the hour tells */
    more: integer().notNull().default(0),
    latest: jsonb(),
    /** until then the state of the last message lasts, so nothing is reported again */
    heldUntil: time(),
  },
  (t) => [
    primaryKey({ columns: [t.noticeId, t.cause] }),
    index('notice_causes_waiting_idx')
      .on(t.sentAt)
      .where(sql`${t.more} > 0`),
  ],
);

/** Mails of a day (UTC), by what limits them: an account, or an address that must confirm. */
export const mailCounts = pgTable(
  'mail_counts',
  { key: text().notNull(), day: date().notNull(), mails: integer().notNull() },
  (t) => [primaryKey({ columns: [t.key, t.day] })],
);

/** Unmatched requests by people in an hour, of websites with a notice about bursts. `path` is empty for the sum of all. */
export const notFoundHours = pgTable(
  'not_found_hours',
  {
    ...ofEnvironment,
    path: bytewise().notNull(),
    hour: time().notNull(),
    hits: integer().notNull(),
    /** the hits of each 5 minutes */
    slots: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.websiteId, t.environment, t.path, t.hour] }),
    index('not_found_hours_hour_idx').on(t.hour),
  ],
);

/** The lost URLs of an environment when they were last counted. */
export const lostUrlWatches = pgTable(
  'lost_url_watches',
  {
    ...ofEnvironment,
    /** the time and the state of the count (notices/watch/lost-urls.ts); `counting` while it runs; null: count again */
    seen: text(),
    lost: integer(),
    /** a process that counts until then, or a rest after a count; others wait */
    claimedUntil: time(),
  },
  (t) => [primaryKey({ columns: [t.websiteId, t.environment] })],
);
