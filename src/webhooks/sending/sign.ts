import { createHmac, randomBytes } from 'node:crypto';
import type { EventKind } from '../../vocabulary/event.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The secret in use and, while the overlap after a rotation lasts, the one before it. */
export interface SigningSecrets {
  current: string;
  previous: string | null;
}

export interface ToSign {
  /** events.id: the same on every attempt, redelivery and replay */
  eventId: string;
  /** the exact text that is sent */
  body: string;
  /** of this attempt */
  now: Date;
  secrets: SigningSecrets;
  /** which secret X-Service-Signature, having room for one only, is made with; without a previous one it is the current */
  signWith: 'current' | 'previous';
}

/** `whsec_` and 256 random bits in standard base64; the url-safe alphabet is not what verifying libraries decode. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The four headers that let a receiver tell that a body is from us and whole: `x-service-signature`, and `webhook-id`,
 * `webhook-timestamp` and `webhook-signature` of Standard Webhooks, which carries a signature of each secret.
 */
export function signatureHeaders({ eventId, body, now, secrets, signWith }: ToSign): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const { current, previous } = secrets;
  const single = signWith === 'previous' && previous !== null ? previous : current;
  const signed = `${eventId}.${timestamp}.${body}`;
  const all = previous === null ? [current] : [current, previous];
  return {
    'x-service-signature': `sha256=${createHmac('sha256', single).update(body).digest('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map((secret) => `v1,${standardSignature(secret, signed)}`).join(' '),
  };
}

/** Standard Webhooks: keyed with the bytes that the secret stands for, not with its text. A Buffer as the key costs four times as much. */
function standardSignature(secret: string, signed: string): string {
  const key = secret.slice(SECRET_PREFIX.length);
  return createHmac('sha256', key, { encoding: 'base64' }).update(signed).digest('base64');
}

/** What a webhook's secrets are sealed for: copied into another row they do not open. */
export function secretContext(webhookId: string): string {
  return `webhook ${webhookId}`;
}

const USER_AGENT = 'Detour-Webhooks/1';

export interface AttemptToSign extends ToSign {
  event: EventKind;
  /** deliveries.id */
  deliveryId: number;
  /** 1 is the first */
  attemptNo: number;
}

/** Every header of one attempt, in lower case. */
export function deliveryHeaders(attempt: AttemptToSign): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    // The log keeps what the receiver said as text.
    'accept-encoding': 'identity',
    'x-service-event': attempt.event,
    'x-service-delivery': `whd_${attempt.deliveryId}`,
    'x-service-attempt': String(attempt.attemptNo),
    ...signatureHeaders(attempt),
  };
}
