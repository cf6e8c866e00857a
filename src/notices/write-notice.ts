/** Creates, changes and deletes notices. */
import { checkWebsiteIds } from '../accounts/api-key.ts';
import { recordAudit } from '../accounts/audit.ts';
import { lockAccount } from '../accounts/quota.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { and, eq, type SQL, sql } from '../db/drizzle.ts';
import { notices } from '../db/schema/notices.ts';
import { webhooks } from '../db/schema/webhooks.ts';
import { newId } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { invalid } from '../vocabulary/error.ts';
import type { NoticeKind } from '../vocabulary/notices.ts';
import { omitUndefined } from '../vocabulary/omit-undefined.ts';
import { cancelPending } from '../webhooks/queue/cancel-orphans.ts';
import { type ChannelDeps, type ChannelInput, checkChannel } from './channel.ts';
import { mailConfirmation } from './links.ts';
import { type Notice, noticeTarget, requireNotice } from './notice.ts';

/** Limit per account: each signal makes a message for each notice. */
const MAX_NOTICES = 50;
/** Attempts in flight for one notice. */
const MAX_IN_FLIGHT = 2;

export interface NoticeInput {
  name: string;
  channel: ChannelInput;
  kinds: NoticeKind[];
  websiteIds: number[] | null;
  isActive: boolean;
  timeZone: string;
}

export interface WriteDeps extends ChannelDeps {
  publicUrl: string;
  now: Date;
}

/**
 * Creates a notice. An email that is not of a user of the account gets a mail to confirm it. Throws as checkChannel,
 * VALIDATION_ERROR for an unknown website, and TOO_MANY_ITEMS if the account has MAX_NOTICES already.
 */
export async function createNotice(db: Db, actor: Actor, input: NoticeInput, deps: WriteDeps): Promise<Notice> {
  const id = newId('ntc_');
  const { accountId } = actor;
  const { name, kinds, isActive, timeZone } = input;
  // Before the transaction, because it waits for DNS.
  const channel = await checkChannel(actor, id, input.channel, deps);
  const websiteIds = input.websiteIds && (await checkWebsiteIds(db, actor, input.websiteIds));
  const times = { createdAt: deps.now, updatedAt: deps.now };
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    if ((await tx.$count(notices, eq(notices.accountId, accountId))) >= MAX_NOTICES)
      throw invalid('notices', `an account has at most ${MAX_NOTICES}; delete one first`, 'TOO_MANY_ITEMS');
    const receiver = { ...channel, ...activation(isActive, deps.now), events: [], maxInFlight: MAX_IN_FLIGHT };
    await tx.insert(webhooks).values({ id, accountId, name, ...receiver, isActive: false, ...times });
    const digestAt = digestTime(kinds, timeZone, deps.now);
    await tx.insert(notices).values({ id, accountId, kinds, websiteIds, timeZone, digestAt, ...times });
    await recordAudit(tx, actor, {
      action: 'notice.created',
      target: noticeTarget({ id, name }),
      details: { channel: channel.channel, to: channel.url, kinds, website_ids: websiteIds },
    });
    return withConfirmation(tx, actor, id, deps);
  });
}

/**
 * Changes the given fields. A new channel, and activating the notice, reset its failures. A new email, and the same one
 * after it has unsubscribed, must be confirmed. Throws as createNotice, and NOTICE_NOT_FOUND.
 */
export async function updateNotice(
  db: Db,
  actor: Actor,
  id: string,
  change: { [Field in keyof NoticeInput]?: NoticeInput[Field] | undefined },
  deps: WriteDeps,
): Promise<Notice> {
  await requireNotice(db, actor, id);
  const channel = change.channel && (await checkChannel(actor, id, change.channel, deps));
  const websiteIds = change.websiteIds && (await checkWebsiteIds(db, actor, change.websiteIds));
  const { now } = deps;
  return db.transaction(async (tx) => {
    await tx.select().from(webhooks).where(eq(webhooks.id, id)).for('no key update');
    const before = await requireNotice(tx, actor, id);
    const isOther = channel && (channel.channel === 'email' ? channel.url !== before.address : true);
    const { name, kinds = before.kinds, timeZone = before.timeZone, isActive } = change;
    const health = isOther || isActive !== undefined ? activation(isActive ?? before.isActive, now) : {};
    await tx
      .update(webhooks)
      .set({ ...omitUndefined({ name }), ...channel, ...health, updatedAt: now })
      .where(eq(webhooks.id, id));
    await tx
      .update(notices)
      .set({
        kinds,
        timeZone,
        updatedAt: now,
        ...(websiteIds !== undefined && { websiteIds }),
        ...((change.kinds ?? change.timeZone) && { digestAt: digestTime(kinds, timeZone, now) }),
        ...(isOther && { confirmedAt: null, unsubscribedAt: null }),
      })
      .where(eq(notices.id, id));
    const details = omitUndefined({
      ...{ name, kinds: change.kinds, website_ids: websiteIds, is_active: isActive },
      ...{ channel: channel?.channel, to: channel?.url },
    });
    await recordAudit(tx, actor, { action: 'notice.updated', target: noticeTarget(before), details });
    return channel ? withConfirmation(tx, actor, id, deps) : requireNotice(tx, actor, id);
  });
}

/** Deletes the notice, its log, and what waits to be sent. Throws NOTICE_NOT_FOUND. */
export async function deleteNotice(db: Db, actor: Actor, id: string, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const notice = await requireNotice(tx, actor, id);
    await tx.delete(webhooks).where(and(eq(webhooks.id, id), eq(webhooks.accountId, actor.accountId)));
    await recordAudit(tx, actor, { action: 'notice.deleted', target: noticeTarget(notice) });
  });
  await cancelPending(db, id, now);
}

/** Returns the notice. If its address must be confirmed, queues the mail for it. */
async function withConfirmation(tx: Queryable, actor: Actor, id: string, deps: WriteDeps): Promise<Notice> {
  const notice = await requireNotice(tx, actor, id);
  if (notice.status === 'unconfirmed' || notice.status === 'unsubscribed')
    await mailConfirmation(tx, actor, notice, deps);
  return notice;
}

/** Columns of a receiver that begins again, or that its owner deactivates. */
function activation(isActive: boolean, now: Date) {
  const fresh = { failStreak: 0, failingSince: null, exhausted: false, pausedUntil: null };
  return isActive
    ? { ...fresh, deactivatedAt: null, deactivatedReason: null }
    : ({ ...fresh, deactivatedAt: now, deactivatedReason: 'user' } as const);
}

const digestTime = (kinds: readonly NoticeKind[], timeZone: string, now: Date): SQL<Date> | null =>
  kinds.includes('digest.weekly') ? nextDigest(timeZone, now) : null;

/** The next Monday at 08:00 in the time zone. PostgreSQL knows when clocks change there. */
export function nextDigest(timeZone: string, now: Date): SQL<Date> {
  const local = sql`${now.toISOString()}::timestamptz at time zone ${timeZone}`;
  return sql<Date>`(date_trunc('week', ${local} - interval '8 hours') + interval '7 days 8 hours') at time zone ${timeZone}`;
}
