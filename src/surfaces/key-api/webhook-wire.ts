/** How webhooks and their log are written: each schema is the JSON that clients see, each function brings the domain's object into it. */
import { z } from 'zod';
import { Timestamp } from '../../http/fields.ts';
import { EVENT_KINDS } from '../../vocabulary/event.ts';
import {
  type Attempt,
  type Delivery,
  DELIVERY_KINDS,
  deliveryNotFound,
  SHOWN_STATES,
} from '../../webhooks/queue/delivery.ts';
import type { Webhook } from '../../webhooks/receivers/webhook.ts';

export const EventName = z.enum(EVENT_KINDS);

const identity = { id: z.string(), name: z.string(), url: z.string(), events: z.array(EventName) };
const health = {
  updated_at: Timestamp,
  pending: z.int(),
  fail_streak: z.int(),
  failing_since: Timestamp.nullable(),
  last_success_at: Timestamp.nullable(),
  paused_until: Timestamp.nullable(),
  deactivated_at: Timestamp.nullable(),
  deactivated_reason: z.enum(['user', 'gone', 'failing']).nullable(),
  previous_secret_until: Timestamp.nullable(),
};
const state = { is_active: z.boolean(), created_at: Timestamp, ...health };

/** Every field that a webhook is shown with; a PUT takes some of them. */
export const WebhookBody = z.object({ ...identity, ...state }).meta({ id: 'Webhook' });

/** The only answers that ever hold the secret: of the creation, and of a rotation. */
export const SecretWebhookBody = z
  .object({ ...identity, secret: z.string(), ...state })
  .meta({ id: 'CreatedWebhook' });

export function toWebhook(webhook: Webhook, now: Date): z.output<typeof WebhookBody> {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    is_active: webhook.isActive,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
    pending: webhook.pending,
    fail_streak: webhook.failStreak,
    failing_since: webhook.failingSince,
    last_success_at: webhook.lastSuccessAt,
    paused_until: ahead(webhook.pausedUntil, now),
    deactivated_at: webhook.deactivatedAt,
    deactivated_reason: webhook.deactivatedReason,
    previous_secret_until: ahead(webhook.previousSecretUntil, now),
  };
}

/** A time that is over says nothing any more. */
function ahead(time: Date | null, now: Date): Date | null {
  return time && time > now ? time : null;
}

export const DeliveryBody = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event_id: z.string(),
    event: EventName,
    kind: z.enum(DELIVERY_KINDS),
    state: z.enum([...SHOWN_STATES, 'canceled']),
    attempt_count: z.int(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: Timestamp.nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'Delivery' });

export function toDelivery(delivery: Delivery): z.output<typeof DeliveryBody> {
  return {
    id: deliveryName(delivery.id),
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event: delivery.event,
    kind: delivery.kind,
    state: delivery.state,
    attempt_count: delivery.attemptNo,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.state === 'pending' ? delivery.dueAt : null,
    created_at: delivery.createdAt,
    finished_at: delivery.finishedAt,
  };
}

const AttemptBody = z
  .object({
    attempt: z.int(),
    started_at: Timestamp,
    duration_ms: z.int(),
    outcome: z.string(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    response_body: z.string().nullable(),
    signed_with: z.enum(['current', 'previous']).nullable(),
    superseded: z.boolean(),
  })
  .meta({ id: 'Attempt' });

/** One delivery with all that is known of it. */
export const LoggedDeliveryBody = DeliveryBody.extend({
  body: z.string().nullable(),
  attempts: z.array(AttemptBody),
}).meta({ id: 'LoggedDelivery' });

export function toAttempt(attempt: Attempt): z.output<typeof AttemptBody> {
  return {
    attempt: attempt.attemptNo,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status: attempt.status,
    error: attempt.error,
    response_body: attempt.responseBody,
    signed_with: attempt.signedWith,
    superseded: attempt.superseded,
  };
}

/** What the receiver did with a test. */
export const TestOutcome = z
  .object({
    delivered: z.boolean(),
    status: z.int().nullable(),
    duration_ms: z.int(),
    error: z.string().nullable(),
    response_body: z.string().nullable(),
    outcome: z.string(),
    event: EventName,
    delivery_id: z.string(),
  })
  .meta({ id: 'WebhookTest' });

/** A delivery's id as clients and receivers (X-Service-Delivery) see it. */
export function deliveryName(id: number): string {
  return `whd_${id}`;
}

/** The number in a delivery's id; what cannot be one is unknown like any other. */
export function deliveryIdOf(text: string): number {
  const [, digits] = /^whd_([1-9]\d{0,15})$/.exec(text) ?? [];
  if (digits === undefined || !Number.isSafeInteger(Number(digits))) throw deliveryNotFound(text);
  return Number(digits);
}
