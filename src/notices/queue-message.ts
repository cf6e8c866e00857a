/** Queues the message of a notice for its channel. The queue of webhooks delivers it (webhooks/README.md). */
import { mailContext, takeAccountMail } from '../accounts/mail/outbox.ts';
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import type { Signal } from '../events/signal.ts';
import { DAY_MS, utcDay } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { NoticeChannel, SignalData } from '../vocabulary/notices.ts';
import { linkOf } from './links.ts';
import { composeMessage } from './messages/compose.ts';
import { renderDiscord } from './messages/discord.ts';
import { renderMail } from './messages/mail.ts';
import type { Message } from './messages/message.ts';
import { renderSlack } from './messages/slack.ts';
import { renderTeams } from './messages/teams.ts';

export interface MessageDeps {
  secretBox: SecretBox;
  publicUrl: string;
  now: Date;
}

/** A notice and where it goes. */
export interface Receiver {
  id: string;
  accountId: number;
  name: string;
  channel: NoticeChannel;
  /** the email; of a chat the masked URL */
  address: string;
}

const CHATS = { slack: renderSlack, teams: renderTeams, discord: renderDiscord };

/** Queues a message about a signal in the caller's transaction. `more`: how many others it stands for. */
export async function queueMessage(
  tx: Queryable,
  receiver: Receiver,
  { kind, data, websiteId, environment, path }: Omit<Signal, 'accountId'>,
  { more, ...deps }: MessageDeps & { more: number },
): Promise<void> {
  const place = { websiteId, environment, path };
  const context = { publicUrl: deps.publicUrl, notice: receiver.name, more };
  const message = composeMessage(kind, data as SignalData[typeof kind], place, context);
  const id = uuidv7();
  const dueAt = receiver.channel === 'email' ? await mailTime(tx, receiver.accountId, deps.now) : deps.now;
  await tx.execute(sql`
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, due_at, created_at, message)
    values (${receiver.accountId}, ${receiver.id}, ${utcDay(deps.now)}::date, ${id}, ${kind}, ${dueAt.toISOString()}::timestamptz,
      ${deps.now.toISOString()}::timestamptz, ${sql.param(sealMessage(receiver, id, message, deps))})`);
}

/** The sealed body of a chat, or the sealed mail. */
export function sealMessage(receiver: Receiver, id: string, message: Message, deps: MessageDeps): Buffer {
  const { channel, address: to } = receiver;
  if (channel !== 'email') return deps.secretBox.seal(CHATS[channel](message), mailContext(id));
  const unsubscribeUrl = linkOf('unsubscribe', receiver, deps);
  const mail = { to, unsubscribeUrl, ...renderMail({ message, unsubscribeUrl }) };
  return deps.secretBox.seal(JSON.stringify(mail), mailContext(id));
}

/** The first day on which the account may send another mail: now, or the beginning of a later day. */
async function mailTime(tx: Queryable, accountId: number, now: Date): Promise<Date> {
  for (let days = 0; ; days++) {
    const at = new Date(now.getTime() + days * DAY_MS);
    if (await takeAccountMail(tx, accountId, at)) return days === 0 ? now : new Date(Date.parse(utcDay(at)));
  }
}
