/** Links in mail that a person opens without signing in: to confirm an address, and to unsubscribe it. */
import { mailText } from '../accounts/mail/mail-text.ts';
import { queueMail, takeAccountMail, takeMail } from '../accounts/mail/outbox.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { and, eq } from '../db/drizzle.ts';
import { notices } from '../db/schema/notices.ts';
import { webhooks } from '../db/schema/webhooks.ts';
import { DAY_MS } from '../platform/clock.ts';
import { newId, sha256 } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { cancelPending } from '../webhooks/queue/cancel-orphans.ts';
import type { Notice } from './notice.ts';

export const LINK_ACTIONS = ['confirm', 'unsubscribe'] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];

const LINK_MS = 7 * DAY_MS;
/** Mails in a day that ask an address to confirm, over all accounts. */
const MAX_CONFIRMATIONS = 3;

/** A link names the address too: it does nothing for the next one of the notice. */
interface Link {
  id: string;
  to: string;
  /** epoch milliseconds */
  until: number;
}

const contextOf = (action: LinkAction): string => `notice link ${action}`;

/** Returns a link that works for 7 days. Nothing of it is stored: the token is sealed. */
export function linkOf(
  action: LinkAction,
  { id, address: to }: Pick<Notice, 'id' | 'address'>,
  { secretBox, publicUrl, now }: { secretBox: SecretBox; publicUrl: string; now: Date },
): string {
  const link: Link = { id, to, until: now.getTime() + LINK_MS };
  const token = secretBox.seal(JSON.stringify(link), contextOf(action)).toString('base64url');
  return `${publicUrl}/mail/${action}?token=${token}`;
}

/** Returns what the link names, or undefined if it was changed or has expired. */
export function openLink(action: LinkAction, token: string, { secretBox, now }: { secretBox: SecretBox; now: Date }) {
  try {
    const link = JSON.parse(secretBox.open(Buffer.from(token, 'base64url'), contextOf(action))) as Link;
    return link.until > now.getTime() ? link : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Confirms or unsubscribes the address of a link, once or again. Returns false if the notice was deleted or has another
 * address by now. What waits to be sent to an unsubscribed address is canceled.
 */
export async function followLink(db: Db, action: LinkAction, { id, to }: Link, now: Date): Promise<boolean> {
  const times = action === 'confirm' ? { confirmedAt: now, unsubscribedAt: null } : { unsubscribedAt: now };
  const isOfAddress = db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.channel, 'email'), eq(webhooks.url, to)));
  const changed = await db.update(notices).set(times).where(eq(notices.id, isOfAddress)).returning({ id: notices.id });
  if (action === 'unsubscribe' && changed.length > 0) await cancelPending(db, id, now);
  return changed.length > 0;
}

/**
 * Queues the mail that asks the address of the notice to confirm: at most 3 times a day over all accounts, and only while
 * the account may send mail, so that no account mails many strangers. Sending `channel` again asks again.
 */
export async function mailConfirmation(
  tx: Queryable,
  { accountId }: { accountId: number },
  notice: Notice,
  deps: { secretBox: SecretBox; publicUrl: string; now: Date },
): Promise<void> {
  const { address: to } = notice;
  const { now, secretBox } = deps;
  if (!(await takeMail(tx, `confirm ${sha256(to).toString('hex')}`, now, MAX_CONFIRMATIONS))) return;
  if (!(await takeAccountMail(tx, accountId, now))) return;
  const text = mailText({
    subject: 'Confirm that Detour may write to you',
    paragraphs: [
      'A user of Detour, which manages the redirects of websites, wants to send notices to this address.',
      'They tell what happens to the redirects of a website. Each one has a link to unsubscribe.',
    ],
    action: { label: 'Confirm the address', url: linkOf('confirm', notice, deps) },
    note: 'The link works for 7 days. If you did not expect this mail, ignore it: nothing is sent then.',
  });
  const mail = { to, until: new Date(now.getTime() + LINK_MS).toISOString(), ...text };
  await queueMail(tx, secretBox, { accountId, id: newId('ncf_'), kind: 'mail.confirmation', mail }, now);
}
