import type { EventKind } from '../vocabulary/event.ts';
import { signatureHeaders, type ToSign } from './sign.ts';

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
