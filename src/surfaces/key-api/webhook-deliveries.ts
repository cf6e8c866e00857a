import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathText, queryInteger, queryObject, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { DomainError } from '../../vocabulary/error.ts';
import {
  attemptsOf,
  bodyOf,
  listDeliveries,
  requireDelivery,
  SHOWN_STATES,
} from '../../webhooks/queue/delivery.ts';
import { READS } from './webhook-access.ts';
import {
  DeliveryBody,
  deliveryIdOf,
  deliveryName,
  EventName,
  LoggedDeliveryBody,
  toAttempt,
  toDelivery,
} from './webhook-wire.ts';

const DEFAULT_LIMIT = 100;

const Params = z.object({ id: pathText });
const DeliveryParams = z.object({ id: pathText, delivery_id: pathText });
const ListQuery = queryObject({
  state: z.enum(SHOWN_STATES).optional(),
  event: EventName.optional(),
  since: Timestamp.optional(),
  until: Timestamp.optional(),
  cursor: z
    .string()
    .regex(/^whd_[1-9]\d{0,14}$/, 'use next_cursor of the page before')
    .optional(),
  limit: queryInteger(1, 1_000).optional(),
});

const DeliveryList = z.object({ deliveries: z.array(DeliveryBody), next_cursor: z.string().nullable() });

/** GET /api/webhooks/{id}/deliveries and .../{delivery_id}: what was sent, and what came of it. */
export function webhookDeliveryRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;

  app.get(
    '/:id/deliveries',
    { config: READS, schema: { params: Params, querystring: ListQuery, response: { 200: DeliveryList } } },
    async ({ actor, params, query: { cursor, limit, ...filter } }) => {
      refuseEmptyRange(filter);
      const before = cursor === undefined ? undefined : deliveryIdOf(cursor);
      const page = { limit: limit ?? DEFAULT_LIMIT, before };
      const { deliveries, next } = await listDeliveries(db, actor, { ...filter, webhookId: params.id }, page);
      return {
        deliveries: deliveries.map(toDelivery),
        next_cursor: next === null ? null : deliveryName(next),
      };
    },
  );

  app.get(
    '/:id/deliveries/:delivery_id',
    {
      config: READS,
      schema: { params: DeliveryParams, response: { 200: z.object({ delivery: LoggedDeliveryBody }) } },
    },
    async ({ actor, params }) => {
      const key = { webhookId: params.id, id: deliveryIdOf(params.delivery_id) };
      const delivery = await requireDelivery(db, actor, key);
      const [body, attempts] = await Promise.all([bodyOf(db, delivery), attemptsOf(db, delivery)]);
      return { delivery: { ...toDelivery(delivery), body, attempts: attempts.map(toAttempt) } };
    },
  );
}

function refuseEmptyRange({ since, until }: { since?: Date | undefined; until?: Date | undefined }): void {
  if (!since || !until || since < until) return;
  const message = 'must be before until';
  throw new DomainError('INVALID_PARAMETER', `since: ${message}`, {
    details: `since: ${message}`,
    issues: [{ path: 'since', code: 'INVALID_PARAMETER', message }],
  });
}
