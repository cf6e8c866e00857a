import { z } from 'zod';
import {
  nextCursor,
  opaqueId,
  queryBoolean,
  queryInteger,
  queryObject,
  Timestamp,
  component,
} from '../../../http/wire/fields.ts';
import {
  type Delivery,
  deliveryNotFound,
  SHOWN_STATES,
  attemptsOf,
  bodyOf,
  listDeliveries,
  requireDelivery,
} from '../../../webhooks/deliveries/delivery.ts';
import { type DeliveryGroup, listDeliveryGroups } from '../../../webhooks/deliveries/delivery-groups.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { wrongParameter } from '../../../vocabulary/error.ts';
import { DELIVERY_KINDS } from '../../../vocabulary/kinds.ts';
import { EventName, path, READS, WebhookParams } from './webhooks.ts';

export const DeliveryBody = component('Delivery', {
  id: z.string().describe('The id, `whd_...`.'),
  webhook_id: z.string().describe('The id of the webhook, `wh_...`.'),
  event_id: z.string().describe('The id of the event, a UUID.'),
  event: EventName.describe('The event type.'),
  subject: z
    .string()
    .nullable()
    .describe(
      'The path of the redirect, or the environment of the deployment. Null for other events, and once the event has expired.',
    ),
  redirect_count: z
    .int()
    .nullable()
    .describe('How many redirects a bulk event, an import or an export is about. Null for other events.'),
  kind: z.enum(DELIVERY_KINDS).describe('The trigger: an event, or a call to redeliver, replay or test.'),
  state: z
    .enum([...SHOWN_STATES, 'canceled'])
    .describe('`pending` before an attempt, `sending` during it; at the end `delivered`, `failed` or `canceled`.'),
  attempt_count: z.int().describe('Attempts so far.'),
  last_status: z.int().nullable().describe('The status of the last response; null without a response.'),
  last_error: z.string().nullable().describe('Why the last attempt failed; null if it did not.'),
  next_attempt_at: Timestamp.nullable().describe('When the next attempt is due; otherwise null.'),
  created_at: Timestamp.describe('When it was created.'),
  finished_at: Timestamp.nullable().describe('When it was delivered, failed or canceled; null before.'),
});

export function deliveryBody(delivery: Delivery) {
  return {
    ...delivery,
    id: deliveryName(delivery.id),
    attemptCount: delivery.attemptNo,
    nextAttemptAt: delivery.state === 'pending' ? delivery.dueAt : null,
  };
}

const AttemptBody = component('Attempt', {
  attempt: z.int().describe('The number of the attempt, from 1.'),
  started_at: Timestamp.describe('When it started.'),
  duration_ms: z.int().describe('The duration in milliseconds.'),
  outcome: z.string().describe('The outcome; docs/webhooks.md lists them.'),
  status: z.int().nullable().describe('The status of the response; null without a response.'),
  error: z.string().nullable().describe('Why it failed; null if it did not.'),
  response_body: z.string().nullable().describe('The first 4 KiB of the response; null without one.'),
  signed_with: z
    .enum(['current', 'previous'])
    .nullable()
    .describe('The secret of `X-Service-Signature`; null if nothing was sent.'),
  superseded: z.boolean().describe('Whether a later attempt started before this one ended.'),
});

/** A delivery with its request body and attempts. */
export const LoggedDeliveryBody = DeliveryBody.extend({
  body: z.string().nullable().describe('The exact request body; null once the event has expired.'),
  attempts: z.array(AttemptBody).describe('All attempts, oldest first.'),
}).meta({ id: 'LoggedDelivery' });

/** The public id of a delivery, also in the header X-Service-Delivery. */
export function deliveryName(id: number): string {
  return `whd_${id}`;
}

/** Throws DELIVERY_NOT_FOUND if no delivery can have this id. */
export function deliveryIdOf(text: string): number {
  const [, digits] = /^whd_([1-9]\d{0,15})$/.exec(text) ?? [];
  if (digits === undefined || !Number.isSafeInteger(Number(digits))) throw deliveryNotFound(text);
  return Number(digits);
}

function groupBody({ id, group }: Pick<Delivery, 'id'> & { group?: DeliveryGroup }) {
  return group && { group: { ...group, firstId: deliveryName(group.first), cursor: deliveryName(id + 1) } };
}

const DEFAULT_LIMIT = 100;

export const DeliveryParams = z.object({
  ...WebhookParams.shape,
  delivery_id: opaqueId('DELIVERY_NOT_FOUND', 'Delivery').describe('The id of the delivery, `whd_...`.'),
});

const Answer = z.object({
  count: z.int().describe('How many.'),
  state: DeliveryBody.shape.state,
  is_attempted: z.boolean().describe('Whether there was an attempt.'),
  last_status: DeliveryBody.shape.last_status,
  last_error: DeliveryBody.shape.last_error,
});
const Group = z.object({
  count: z.int().describe('The number of deliveries.'),
  first_id: z.string().describe('The id of the oldest of them; the entry has that of the newest.'),
  cursor: z.string().describe('The cursor of a list, without `grouped`, that begins with them.'),
  answers: z.array(Answer).describe('Their states with the last answer, the 10 most frequent first.'),
});
export const ListedDelivery = DeliveryBody.extend({
  group: Group.optional().describe('What was queued together with it. Only with `grouped=true`.'),
}).meta({ id: 'ListedDelivery' });
const DeliveryList = z.object({
  deliveries: z.array(ListedDelivery).describe('The deliveries.'),
  next_cursor: nextCursor,
});

/** GET /api/webhooks/{id}/deliveries, .../{delivery_id}. */
export function webhookDeliveryRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;

  app.get('/:id/deliveries', {
    config: READS,
    operationId: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List deliveries',
    returns: 'The deliveries, newest first.',
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { path, query: { state: 'delivered', limit: 1 } },
    params: WebhookParams,
    querystring: queryObject({
      state: z.enum(SHOWN_STATES).optional().describe('Only deliveries in this state.'),
      event: EventName.optional().describe('Only deliveries of this event type.'),
      since: Timestamp.optional().describe('Only deliveries queued at this time or later.'),
      until: Timestamp.optional().describe('Only deliveries queued before this time.'),
      grouped: queryBoolean
        .optional()
        .describe('Lists consecutive deliveries that were queued together, such as those of one change, as one entry.'),
      cursor: z
        .string()
        .regex(/^whd_[1-9]\d{0,14}$/, 'use next_cursor of the previous page')
        .optional()
        .describe('The `next_cursor` of the previous page. Send it with the same parameters.'),
      limit: queryInteger(1, 1_000).optional().describe('The maximum number of entries. Default 100.'),
    }),
    response: { 200: DeliveryList },
    async handler({ actor, params, query: { cursor, limit, grouped, ...filter } }) {
      assertRange(filter);
      const before = cursor === undefined ? undefined : deliveryIdOf(cursor);
      const page = { limit: limit ?? DEFAULT_LIMIT, before };
      const input = { ...filter, webhookId: params.id };
      const { deliveries, next } = grouped
        ? await listDeliveryGroups(db, actor, input, page)
        : await listDeliveries(db, actor, input, page);
      return {
        deliveries: deliveries.map((each) => ({ ...deliveryBody(each), ...groupBody(each) })),
        nextCursor: next === null ? null : deliveryName(next),
      };
    },
  });

  app.get('/:id/deliveries/:delivery_id', {
    config: READS,
    operationId: 'getDelivery',
    tag: 'Webhooks',
    summary: 'Show a delivery',
    returns: 'The delivery with its request body and every attempt.',
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
    example: { path: { ...path, delivery_id: 'whd_1' } },
    params: DeliveryParams,
    response: { 200: z.object({ delivery: LoggedDeliveryBody.describe('The delivery.') }) },
    async handler({ actor, params }) {
      const key = { webhookId: params.id, id: deliveryIdOf(params.deliveryId) };
      const delivery = await requireDelivery(db, actor, key);
      const [body, attempts] = await Promise.all([bodyOf(db, delivery), attemptsOf(db, delivery)]);
      const shown = attempts.map(({ attemptNo: attempt, ...rest }) => ({ attempt, ...rest }));
      return { delivery: { ...deliveryBody(delivery), body, attempts: shown } };
    },
  });
}

function assertRange({ since, until }: { since?: Date | undefined; until?: Date | undefined }): void {
  if (!since || !until || since < until) return;
  throw wrongParameter('since', 'must be before until');
}
