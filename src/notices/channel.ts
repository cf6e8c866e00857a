/** The channel of a notice in a request: its form, and what is stored of it. */
import { requirePlan } from '../accounts/permissions.ts';
import { emailIssue, normaliseEmail } from '../accounts/user.ts';
import type { Egress } from '../platform/network/egress.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { assertNoIssue, DomainError, invalid } from '../vocabulary/error.ts';
import type { NoticeChannel } from '../vocabulary/notices.ts';
import { checkReceiverUrl } from '../webhooks/receivers/receiver-url.ts';
import { secretContext } from '../webhooks/sending/sign.ts';

export type ChannelInput = { type: 'email'; to: string } | { type: Exclude<NoticeChannel, 'email'>; url: string };

/** Columns of the receiver. `url` is what is shown. */
export interface StoredChannel {
  channel: NoticeChannel;
  url: string;
  secret: Buffer | null;
}

export interface ChannelDeps {
  secretBox: SecretBox;
  egress: Egress;
  /** the service can send mail */
  sendsMail: boolean;
}

/** The part of a URL that is shown. The rest is a secret, because it is all that posting needs. */
const mask = (url: string): string => `${new URL(url).origin}/…`;

/**
 * Checks the channel of the notice with this id, and seals its URL. Throws MAIL_NOT_CONFIGURED, PLAN_REQUIRED for a chat
 * on a plan without webhooks, and as checkReceiverUrl and emailIssue; and VALIDATION_ERROR for a masked URL.
 */
export async function checkChannel(
  actor: Actor,
  id: string,
  input: ChannelInput,
  { secretBox, egress, sendsMail }: ChannelDeps,
): Promise<StoredChannel> {
  if (input.type === 'email') {
    if (!sendsMail) {
      const details =
        'channel.type: this service sends no mail; its operator sets SMTP_URL and MAIL_FROM, or use a chat';
      throw new DomainError('MAIL_NOT_CONFIGURED', 'Mail is not configured', { details });
    }
    const to = normaliseEmail(input.to);
    assertNoIssue(emailIssue('channel.to', to));
    return { channel: 'email', url: to, secret: null };
  }
  requirePlan(actor, 'webhooks');
  if (input.url.includes('…'))
    throw invalid('channel.url', 'is the masked URL; leave `channel` out to keep it, or send the complete URL');
  const url = await checkReceiverUrl(input.url, egress, { field: 'channel.url' });
  return { channel: input.type, url: mask(url), secret: secretBox.seal(url, secretContext(id)) };
}
