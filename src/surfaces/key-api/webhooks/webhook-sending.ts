import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, Timestamp, component } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { REPLAY_STATES, redeliver, replay } from '../../../webhooks/deliveries/replay.ts';
import { sendTest } from '../../../webhooks/deliveries/send-test.ts';
import { DeliveryBody, deliveryBody, deliveryIdOf, deliveryName, DeliveryParams } from './webhook-deliveries.ts';
import { CHANGES, EventName, path, WebhookParams } from './webhooks.ts';

export const TestOutcome = component('WebhookTest', {
  delivered: z.boolean().describe('Whether the receiver accepted it.'),
  status: z.int().nullable().describe('The status of the response; null without a response.'),
  duration_ms: z.int().describe('The duration in milliseconds.'),
  error: z.string().nullable().describe('Why it failed; null if it did not.'),
  response_body: z.string().nullable().describe('The first 4 KiB of the response; null without one.'),
  outcome: z.string().describe('The outcome; docs/webhooks.md lists them.'),
  event: EventName.describe('The event type.'),
  delivery_id: z.string().describe('The id of the delivery, `whd_...`.'),
});

/** POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver, /api/webhooks/{id}/replay, .../test. */
export function webhookSendingRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, clock } = deps;

  app.post('/:id/deliveries/:delivery_id/redeliver', {
    config: CHANGES,
    operationId: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    returns: 'The new delivery.',
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'EVENT_NOT_FOUND', 'CONFLICT'],
    example: { path: { ...path, delivery_id: 'whd_1' } },
    params: DeliveryParams,
    response: { 202: z.object({ delivery: DeliveryBody.describe('The delivery.') }) },
    async handler({ actor, params }) {
      const key = { webhookId: params.id, id: deliveryIdOf(params.deliveryId) };
      const delivery = await redeliver(db, actor, key, clock.now());
      deps.committed();
      return { delivery: deliveryBody(delivery) };
    },
  });

  app.post('/:id/replay', {
    config: CHANGES,
    operationId: 'replayWebhook',
    tag: 'Webhooks',
    summary: 'Replay the events of a time range',
    description:
      'Sends events whose deliveries failed, or with `state: "all"` every event, again. Deliveries of the range that wait for a retry become due immediately. At most 1,000,000.',
    returns: 'The number of deliveries queued or made due.',
    errors: ['WEBHOOK_NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'TOO_MANY_ITEMS'],
    example: { path, body: { since: '2026-11-21T00:00:00Z', state: 'failed' } },
    params: WebhookParams,
    body: bodyObject({
      since: Timestamp.describe('Only events at this time or later.'),
      until: Timestamp.optional().describe('Only events before this time. Default: now.'),
      state: z
        .enum(REPLAY_STATES)
        .optional()
        .describe(
          '`failed` (default): events whose latest delivery failed. `all`: every event. `waiting`: only deliveries that wait for a retry.',
        ),
    }),
    response: { 202: z.object({ count: z.int().describe('The number of deliveries queued or made due.') }) },
    async handler({ actor, params, body: { since, until, state = 'failed' } }) {
      const input = { webhookId: params.id, since, until, state };
      const count = await replay(db, actor, input, clock.now());
      deps.committed();
      return { count };
    },
  });

  app.post('/:id/test', {
    config: CHANGES,
    operationId: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Responds once the receiver has responded or after 15 s. A webhook runs one test at a time.',
    returns: 'The outcome of the test.',
    errors: ['WEBHOOK_NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'SENDING_DISABLED'],
    example: { path, body: { event: 'redirect.created' } },
    params: WebhookParams,
    body: bodyObject({
      event: EventName.optional().describe('The event type of the sample. Default: the first subscribed one.'),
    }),
    response: { 200: TestOutcome },
    async handler({ actor, params, body }) {
      const { instanceId, sendNow } = deps;
      const input = { webhookId: params.id, event: body.event };
      const isSending = deps.config.webhookSending;
      const sent = await sendTest(db, actor, input, { now: clock.now(), isSending, instanceId, sendNow });
      const { attempt, event } = sent;
      const delivered = attempt.outcome === 'delivered';
      return { ...attempt, delivered, event, deliveryId: deliveryName(sent.deliveryId) };
    },
  });
}
