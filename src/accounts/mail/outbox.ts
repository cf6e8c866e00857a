/** The outbox of mail about users. The queue of webhooks delivers it (webhooks/README.md). */
import type { Queryable } from '../../db/connection/client.ts';
import { and, eq, gt, sql } from '../../db/drizzle.ts';
import { deliveries } from '../../db/schema/webhooks.ts';
import { DAY_MS, utcDay } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { MailText } from './mail-text.ts';

/** Mail with the link of an invitation, of a password reset, or that confirms an address. The names are stored. */
export type MailKind = 'mail.invitation' | 'mail.password_reset' | 'mail.confirmation';

/** A mail as `deliveries.message` stores it, sealed. */
export interface Mail extends MailText {
  /** a valid email (accounts/user.ts) */
  to: string;
  /** when its link ends, in ISO 8601; it is not sent later */
  until?: string;
  /** a page that ends further mail; the header List-Unsubscribe of RFC 8058 */
  unsubscribeUrl?: string;
}

/** Attempts in flight for one account. */
const MAX_IN_FLIGHT = 4;

/** The context that seals the message of a delivery; `webhooks/sending/attempt-message.ts` opens it. */
export const mailContext = (id: string): string => `mail ${id}`;

/** The receiver of the mails of an account. The trigger `cancel_mail` (migration 0033) has the same name. */
const receiverOf = (accountId: number): string => `mail_${accountId}`;

/**
 * Queues a mail in the caller's transaction. The deletion of its link, whose id it has, cancels it. The receiver is inactive: processes of
 * earlier versions, which would send it as a webhook, claim nothing of an inactive one.
 */
export async function queueMail(
  tx: Queryable,
  secretBox: SecretBox,
  { accountId, id, kind, mail }: { accountId: number; id: string; kind: MailKind; mail: Mail },
  now: Date,
): Promise<void> {
  const sealed = secretBox.seal(JSON.stringify(mail), mailContext(id));
  const at = now.toISOString();
  await tx.execute(sql`
    with receiver as (
      insert into webhooks (id, account_id, channel, name, url, events, is_active, max_in_flight)
      values (${receiverOf(accountId)}, ${accountId}, 'mail', 'Mail', '', '{}', false, ${MAX_IN_FLIGHT})
      on conflict (id) do nothing)
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, due_at, created_at, message)
    values (${accountId}, ${receiverOf(accountId)}, ${utcDay(now)}::date, ${id}, ${kind}, ${at}::timestamptz, ${at}::timestamptz,
      ${sql.param(sealed)})`);
}

/** How many mails of the kind the account queued in the last 24 hours. */
export async function countMails(tx: Queryable, accountId: number, kind: MailKind, now: Date): Promise<number> {
  const isOfKind = and(eq(deliveries.webhookId, receiverOf(accountId)), sql`${deliveries.event} = ${kind}`);
  return tx.$count(deliveries, and(isOfKind, gt(deliveries.createdAt, new Date(now.getTime() - DAY_MS))));
}

/**
 * Counts a mail of `key` on the day (UTC) of `now`. Returns false, and counts nothing, if it would be more than `max`.
 */
export async function takeMail(tx: Queryable, key: string, now: Date, max: number): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    insert into mail_counts as c (key, day, mails) values (${key}, ${utcDay(now)}::date, 1)
    on conflict (key, day) do update set mails = c.mails + 1 where c.mails < ${max} returning 1`);
  return rows.length > 0;
}

/** Mails of an account in a day (UTC) about notices: messages, tests, and mails that ask to confirm an address. */
export const MAX_MAILS = 500;

/** Counts such a mail. Returns false if the account has sent MAX_MAILS on the day of `now`. */
export const takeAccountMail = (tx: Queryable, accountId: number, now: Date): Promise<boolean> =>
  takeMail(tx, `account ${accountId}`, now, MAX_MAILS);

/** Deletes the counts of earlier days. */
export async function purgeMailCounts(db: Queryable, now: Date): Promise<void> {
  await db.execute(sql`delete from mail_counts where day < ${utcDay(now)}::date`);
}
