import type { NoticeChannel, NoticeKind } from '../../../../src/vocabulary/notices.ts';
import type { Notice, NoticeDelivery } from '../../api/client/wire.ts';
import { ago, capitalized } from '../../format.ts';
import { installation, planHas } from '../../state/session.ts';
import { requiredPlan } from '../../ui/page/plan-needed.tsx';
import { REMEDIES } from '../webhooks/labels.ts';
import { KINDS } from './kinds.ts';

const MAX_NAMED = 3;

/** `Lost URLs, weekly digest`; the first 3. */
export function kindsText(kinds: readonly NoticeKind[]): string {
  const others = kinds.length - MAX_NAMED;
  const names = kinds.slice(0, MAX_NAMED).map((kind) => KINDS[kind][0]);
  return capitalized(names.join(', ')) + (others > 0 ? ` and ${others} more` : '');
}

export const messageText = (kind: NoticeDelivery['kind']): string =>
  capitalized(kind === 'test' ? 'test' : KINDS[kind][0]);

export const CHANNELS: Record<NoticeChannel, string> = {
  email: 'Email',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
};

/** The place of the URL in each product. */
export const URL_HINTS: Record<Exclude<NoticeChannel, 'email'>, string> = {
  slack: 'In Slack: api.slack.com/apps, your app, Incoming Webhooks, Add New Webhook.',
  teams: 'In Teams: the menu of the channel, Workflows, "Send webhook alerts to a channel".',
  discord: 'In Discord: settings of the channel, Integrations, Webhooks, Copy Webhook URL.',
};

/** The reason that nothing can be sent by this channel; undefined if something can. */
export function obstacleOf(channel: NoticeChannel): string | undefined {
  if (channel !== 'email') return planHas('webhooks') ? undefined : `Requires the ${requiredPlan('webhooks')} plan.`;
  return installation.sendsMail ? undefined : 'This service sends no mail: its operator sets SMTP_URL and MAIL_FROM.';
}

export const addressOf = ({ channel: { to, url } }: Notice): string => to ?? url ?? '';

/** The address has to agree before anything is sent to it. */
export const isUnconfirmed = ({ status }: Notice): boolean => status === 'unconfirmed' || status === 'unsubscribed';

/** Tone and text of the badge of a notice, and what to do. */
export function statusOf(notice: Notice): readonly [tone: string, text: string, advice: string] {
  const { is_active: isActive, status, failing_since: since, test_failed_at: tested, channel } = notice;
  const obstacle = obstacleOf(channel.type);
  if (!isActive) return ['', 'Disabled', ''];
  if (obstacle !== undefined) return ['warn', 'Sends nothing', obstacle];
  if (status === 'unconfirmed')
    return ['warn', 'Unconfirmed', `Waits for a click in the mail to ${addressOf(notice)}.`];
  if (status === 'unsubscribed')
    return ['warn', 'Unsubscribed', `${addressOf(notice)} wants no mail. Ask there before you send a link.`];
  const failed = since === null ? '' : `Every message fails. First failure: ${ago(since)}. `;
  if (status === 'failing') return ['danger', 'Stopped', `${failed || 'The URL is gone. '}Check the channel first.`];
  if (failed !== '') return ['danger', 'Failing', `${failed}The log has the error.`];
  if (tested !== null) return ['warn', 'Test failed', `${capitalized(ago(tested))}. The log has the error.`];
  return ['ok', 'Active', notice.last_success_at === null ? 'No message yet.' : ''];
}

const OWN_REMEDIES: Record<string, string> = {
  refused: 'The channel rejected it. Check that the address or URL still exists there.',
  gone: 'The URL no longer exists. Create a new one there, and edit the notice.',
  receiver_error: 'The channel failed. Retry later.',
  timeout: 'The channel did not respond in time. Retry later.',
  secret: 'The URL cannot be decrypted. Edit the notice, with its URL.',
};

/** The remedy for a failed test. */
export const remedyOf = (outcome: string): string => OWN_REMEDIES[outcome] ?? REMEDIES[outcome] ?? '';
