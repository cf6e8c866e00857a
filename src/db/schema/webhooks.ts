/** Events, and the queue that delivers them. */
import { boolean, date, index, integer, pgTable, primaryKey, sql, text } from '../drizzle.ts';
import type { Channel, EventKind } from '../../vocabulary/kinds.ts';
import { bytea, time, createdAt, int8, partialIndex, byActor } from './columns.ts';
import { ownerAccount } from './accounts.ts';

/** Outbox and activity log. `body` is the exact text that is delivered. Partitioned by day. */
export const events = pgTable(
  'events',
  {
    day: date().notNull(),
    id: text().notNull(),
    accountId: integer().notNull(),
    websiteId: integer(),
    redirectId: int8(),
    event: text().notNull(),
    ...byActor,
    /** `updated_at` of an updated redirect before the update; a restore needs it besides the body */
    previousUpdatedAt: time(),
    /** `timestamp` of the body, in whole seconds; null on events stored before migration 0008 */
    happenedAt: time(),
    body: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.id] }),
    index('events_account_id_idx').on(t.accountId, t.id),
    index('events_website_id_idx').on(t.websiteId, t.id),
    partialIndex('events_redirect_id_idx', sql`${t.redirectId} is not null`, t.redirectId, t.id),
  ],
);

/**
 * Receivers with their health, which each outcome of an attempt updates. The queue is `deliveries`. `channel` says how a
 * receiver is reached: `webhook` by a signed request; `mail`, one for each account, by mail about its users
 * (accounts/mail/outbox.ts); the others by messages of a notice with the same id (db/schema/notices.ts).
 */
export const webhooks = pgTable(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: ownerAccount(),
    channel: text().$type<Channel>().notNull().default('webhook'),
    name: text().notNull(),
    url: text().notNull(),
    events: text().array().$type<EventKind[]>().notNull(),
    isActive: boolean().notNull().default(true),
    /** sealed with the context `webhook <id>`; null unless the channel is `webhook` */
    secret: bytea(),
    /** the secret before the last rotation, while the overlap lasts */
    previousSecret: bytea(),
    previousSecretUntil: time(),
    /** the secret of X-Service-Signature while both are valid: the one that the receiver last accepted */
    signWith: text().$type<'current' | 'previous'>().notNull().default('current'),
    /** maximum attempts in flight, across all processes */
    maxInFlight: integer().notNull().default(8),
    /** failed attempts since the last success */
    failStreak: integer().notNull().default(0),
    failingSince: time(),
    /** a delivery has failed after its last attempt since the last success */
    exhausted: boolean().notNull().default(false),
    lastSuccessAt: time(),
    /** no attempts until then, after a response with Retry-After */
    pausedUntil: time(),
    deactivatedAt: time(),
    deactivatedReason: text().$type<'user' | 'gone' | 'failing'>(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [index('webhooks_account_id_idx').on(t.accountId, t.id)],
);

/** Queue and log of deliveries. fillfactor 70 and eager vacuum, because every row is updated twice within moments. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** shown as `whd_<id>` */
    id: int8().primaryKey().generatedAlwaysAsIdentity(),
    accountId: integer().notNull(),
    webhookId: text().notNull(),
    eventDay: date().notNull(),
    /** `webhook-id`: the same on every attempt, redelivery and replay */
    eventId: text().notNull(),
    /** of a mail: a MailKind of accounts/mail/outbox.ts */
    event: text().$type<EventKind>().notNull(),
    kind: text().$type<'event' | 'redelivery' | 'replay' | 'test'>().notNull().default('event'),
    /**
     * pending -> sending -> delivered | pending (retry) | failed (last attempt, or expired) | canceled (webhook
     * deleted)
     */
    state: text().$type<'pending' | 'sending' | 'delivered' | 'failed' | 'canceled'>().notNull().default('pending'),
    /** claims so far: the fencing token, and the number of the attempt */
    attemptNo: integer().notNull().default(0),
    /** failed attempts: the position in the retry schedule; an interrupted attempt does not count */
    failures: integer().notNull().default(0),
    dueAt: time().notNull(),
    /** instances.id of the process that is sending it */
    lockedBy: integer(),
    leaseUntil: time(),
    lastStatus: integer(),
    lastError: text(),
    createdAt: time().notNull(),
    finishedAt: time(),
    /** the body of a test, which has no event */
    testBody: text(),
    /** the mail (accounts/mail/outbox.ts), sealed with the context `mail <event_id>`; null once the delivery has ended */
    message: bytea(),
  },
  (t) => [
    partialIndex('deliveries_due_idx', sql`${t.state} = 'pending'`, t.webhookId, t.dueAt, t.id),
    partialIndex('deliveries_sending_idx', sql`${t.state} = 'sending'`, t.webhookId),
    index('deliveries_webhook_id_idx').on(t.webhookId, t.id),
    partialIndex('deliveries_finished_at_idx', sql`${t.finishedAt} is not null`, t.finishedAt),
  ],
);

/** Every attempt, append-only. Partitioned by day. */
export const attempts = pgTable(
  'attempts',
  {
    day: date().notNull(),
    deliveryId: int8().notNull(),
    attemptNo: integer().notNull(),
    startedAt: time().notNull(),
    /** milliseconds until the outcome was known */
    durationMs: integer().notNull(),
    /** `delivered`, or the class of the failure */
    outcome: text().notNull(),
    status: integer(),
    error: text(),
    /** the first 4 KiB of the response body */
    responseBody: text(),
    signedWith: text().$type<'current' | 'previous'>(),
    /** a later claim had replaced this one when its outcome arrived, so it changed nothing */
    superseded: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.attemptNo, t.day] })],
);
