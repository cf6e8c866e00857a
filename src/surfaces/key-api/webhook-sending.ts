import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, pathText, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { redeliver, replay } from '../../webhooks/queue/replay.ts';
import { sendTest } from '../../webhooks/queue/send-test.ts';
import { CHANGES } from './webhook-access.ts';
import {
  DeliveryBody,
  deliveryIdOf,
  deliveryName,
  EventName,
  TestOutcome,
  toDelivery,
} from './webhook-wire.ts';

const Params = z.object({ id: pathText });
const DeliveryParams = z.object({ id: pathText, delivery_id: pathText });
const ReplayBody = bodyObject({
  since: Timestamp,
  until: Timestamp.optional(),
  state: z.enum(['failed', 'all']).optional(),
});
const TestBody = bodyObject({ event: EventName.optional() });
/** POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver, /replay and /test: sending again, and trying out. */
export function webhookSendingRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, clock } = deps;

  app.post(
    '/:id/deliveries/:delivery_id/redeliver',
    {
      config: CHANGES,
      schema: { params: DeliveryParams, response: { 202: z.object({ delivery: DeliveryBody }) } },
    },
    async ({ actor, params }, reply) => {
      const key = { webhookId: params.id, id: deliveryIdOf(params.delivery_id) };
      const delivery = await redeliver(db, actor, key, clock.now());
      deps.committed();
      return reply.code(202).send({ delivery: toDelivery(delivery) });
    },
  );

  app.post(
    '/:id/replay',
    {
      config: CHANGES,
      schema: { params: Params, body: ReplayBody, response: { 202: z.object({ count: z.int() }) } },
    },
    async ({ actor, params, body: { since, until, state = 'failed' } }, reply) => {
      const input = { webhookId: params.id, since, until, state };
      const count = await replay(db, actor, input, clock.now());
      deps.committed();
      return reply.code(202).send({ count });
    },
  );

  app.post(
    '/:id/test',
    { config: CHANGES, schema: { params: Params, body: TestBody, response: { 200: TestOutcome } } },
    async ({ actor, params, body }) => {
      const { instanceId, sendNow } = deps;
      const input = { webhookId: params.id, event: body.event };
      const sent = await sendTest(db, actor, input, { now: clock.now(), instanceId, sendNow });
      const { outcome, status, durationMs, error, responseBody } = sent.attempt;
      return {
        delivered: outcome === 'delivered',
        status,
        duration_ms: durationMs,
        error,
        response_body: responseBody,
        outcome,
        event: sent.event,
        delivery_id: deliveryName(sent.deliveryId),
      };
    },
  );
}
