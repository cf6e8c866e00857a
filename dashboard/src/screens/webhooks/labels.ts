import type { EventKind } from '../../../../src/vocabulary/event.ts';
import type { Delivery } from '../../api/wire.ts';

/** What each kind of event tells. */
export const EVENT_WORDS: Record<EventKind, string> = {
  'redirect.created': 'a redirect was added',
  'redirect.updated': 'a redirect was changed',
  'redirect.deleted': 'a redirect was deleted',
  'deployment.started': 'a deployment began',
  'deployment.completed': 'a deployment is live',
  'deployment.failed': 'a deployment failed; what was live stays',
  'bulk_import.completed': 'an import is done',
  'bulk_export.completed': 'an export is done',
};

export const STATES = {
  pending: ['', 'Waiting'],
  sending: ['', 'Under way'],
  delivered: ['ok', 'Delivered'],
  failed: ['danger', 'Given up'],
  canceled: ['', 'Canceled'],
} as const satisfies Record<Delivery['state'], readonly [string, string]>;

/** The tone of a delivery's badge and its word; what waits for a webhook that is switched off is held. */
export function stateOf(
  { state, attempt_count: count }: Delivery,
  isActive: boolean,
): readonly [string, string] {
  if (state === 'pending' && !isActive) return ['', 'Held'];
  return state === 'pending' && count > 0 ? ['warn', 'Tried again'] : STATES[state];
}

export const KINDS: Record<Delivery['kind'], string> = {
  event: '',
  redelivery: 'sent again',
  replay: 'replayed',
  test: 'test',
};

/** What can be done about an attempt that failed, by its outcome. */
export const REMEDIES: Record<string, string> = {
  redirect: 'Redirects are not followed: change the address of the webhook.',
  refused: 'The receiver does not take it. Look at its answer, and at how it checks the signature.',
  gone: 'The receiver wants nothing more, so the webhook was switched off.',
  throttled: 'The receiver asked to wait. Sending goes on after that.',
  receiver_error: 'The receiver failed. Look into its log.',
  timeout: 'Let the receiver answer within 15 seconds and do its work afterwards.',
  dns: 'The name has no address. Look for a typing mistake.',
  connect: 'Nothing listens there, or a firewall is in between.',
  tls: 'Look at the certificate: its name, its dates, who issued it.',
  reset: 'The connection broke, or the answer was not HTTP.',
  address: 'The service may not send to this address. WEBHOOK_EGRESS says to which it may.',
  interrupted: 'The service stopped meanwhile. It is sent again at once.',
  secret: 'The secret cannot be read any more. Rotate it.',
};
