import type { EventKind } from '../../../../src/vocabulary/kinds.ts';
import type { Delivery, Webhook } from '../../api/client/wire.ts';
import { capitalized, counted, timeOfDay } from '../../format.ts';

/** `Redirect created` of `redirect.created`. */
export const eventName = (event: EventKind): string => capitalized(event.replaceAll(/[._]/g, ' '));

const MAX_NAMED = 2;

/** `Redirect created, deployment failed and 3 more`. */
export function eventsText(events: readonly EventKind[]): string {
  const others = events.length - MAX_NAMED;
  const names = events.slice(0, MAX_NAMED).map(eventName).join(', ');
  return capitalized(names.toLowerCase()) + (others > 0 ? ` and ${others} more` : '');
}

export const EVENT_DESCRIPTIONS: Record<EventKind, string> = {
  'redirect.created': 'A redirect was created.',
  'redirect.updated': 'A redirect was updated.',
  'redirect.deleted': 'A redirect was deleted.',
  'deployment.started': 'A deployment started.',
  'deployment.completed': 'A deployment went live.',
  'deployment.failed': 'A deployment failed; the live version stays.',
  'bulk_import.completed': 'An import finished.',
  'bulk_export.completed': 'An export finished.',
  'check.completed': 'A live check has asked every target.',
};

export const STATE_LABELS = {
  pending: ['', 'Pending'],
  sending: ['', 'Sending'],
  delivered: ['ok', 'Delivered'],
  failed: ['danger', 'Failed'],
  canceled: ['', 'Canceled'],
} as const satisfies Record<Delivery['state'], readonly [string, string]>;

/** Tone and text of a delivery's badge. Pending deliveries of a disabled webhook are on hold. */
export function stateLabel(
  { state, attempt_count: count }: Pick<Delivery, 'state' | 'attempt_count'>,
  isActive: boolean,
): readonly [string, string] {
  if (state === 'pending' && !isActive) return ['', 'On hold'];
  return state === 'pending' && count > 0 ? ['warn', 'Retrying'] : STATE_LABELS[state];
}

export const KIND_LABELS: Record<Delivery['kind'], string> = {
  event: '',
  redelivery: 'resent',
  replay: 'replayed',
  test: 'test',
};

/** Remedies for failed attempts, by outcome. */
export const REMEDIES: Record<string, string> = {
  redirect: 'Redirects are not followed. Change the URL of the webhook.',
  refused: 'The receiver rejected the event. Check its response and its signature verification.',
  gone: 'The receiver accepts no more events, so the webhook was disabled.',
  throttled: 'The receiver is rate limiting. Deliveries continue after the delay that it requested.',
  receiver_error: 'The receiver failed. Check its logs.',
  timeout: 'Respond within 15 seconds, and process the event afterwards.',
  dns: 'The host name does not resolve. Check its spelling.',
  connect: 'No server accepts connections there, or a firewall blocks them.',
  tls: 'Check the certificate: its name, validity and issuer.',
  reset: 'The connection closed early, or the response was not HTTP.',
  address: 'The service may not connect to this IP address. WEBHOOK_EGRESS sets the allowed ones.',
  interrupted: 'The service stopped during the attempt. The delivery is retried immediately.',
  secret: 'The secret cannot be decrypted. Rotate it.',
};

const DISABLED: Record<NonNullable<Webhook['deactivated_reason']>, readonly [tone: string, text: string]> = {
  user: ['', 'Disabled'],
  gone: ['danger', 'Disabled: returned 410'],
  failing: ['danger', 'Disabled: kept failing'],
};

/** Tone and text of the badge of a webhook: the health of its receiver. */
export function healthOf(webhook: Webhook): readonly [tone: string, text: string] {
  if (!webhook.is_active) return DISABLED[webhook.deactivated_reason ?? 'user'];
  if (webhook.paused_until !== null) return ['warn', `Paused until ${timeOfDay(Date.parse(webhook.paused_until))}`];
  if (webhook.fail_streak > 0) return ['danger', `Failing (${counted(webhook.fail_streak, 'attempt')} in a row)`];
  return webhook.last_success_at === null ? ['', 'Nothing delivered yet'] : ['ok', 'Healthy'];
}
