import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { component, nextCursor, queryInteger, queryObject, Timestamp } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { requireNotice } from '../../../notices/notice.ts';
import { testNotice } from '../../../notices/send-test.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../../vocabulary/notices.ts';
import { deliveriesOf, SHOWN_STATES } from '../../../webhooks/deliveries/delivery.ts';
import { NoticeParams } from './notice-wire.ts';
import { CHANGES, path, READS, requireAccount, TAG } from './notices.ts';

const DEFAULT_LIMIT = 100;

const Outcome = {
  status: z.int().nullable().describe('The status of the response, of HTTP or SMTP; null without one.'),
  error: z.string().nullable().describe('Why it failed; null if it did not.'),
};

export const NoticeDelivery = component('NoticeDelivery', {
  id: z.string().describe('The id, `whd_...`.'),
  kind: z.enum([...NOTICE_KINDS, 'test']).describe('What it tells.'),
  state: z
    .enum([...SHOWN_STATES, 'canceled'])
    .describe('`pending` before an attempt, `sending` during it; at the end `delivered`, `failed` or `canceled`.'),
  attempt_count: z.int().describe('Attempts so far.'),
  last_status: Outcome.status,
  last_error: Outcome.error,
  next_attempt_at: Timestamp.nullable().describe('When the next attempt is due; otherwise null.'),
  created_at: Timestamp.describe('When it was queued.'),
  finished_at: Timestamp.nullable().describe('When it was delivered, failed or canceled; null before.'),
});

export const NoticeTest = component('NoticeTest', {
  delivered: z.boolean().describe('Whether the channel accepted it.'),
  duration_ms: z.int().describe('The duration in milliseconds.'),
  ...Outcome,
  outcome: z.string().describe('The outcome; docs/webhooks.md lists them.'),
  delivery_id: z.string().describe('The id of the delivery, `whd_...`.'),
});

/** GET /api/v1/notices/{id}/deliveries; POST /api/v1/notices/{id}/test. */
export function noticeDeliveryRoutes(api: Api, deps: SurfaceDeps): void {
  const { db, clock, config, secretBox, instanceId, sendNow } = deps;

  api.get('/notices/:id/deliveries', {
    config: READS,
    operationId: 'listNoticeDeliveries',
    tag: TAG,
    summary: 'List the messages of a notice',
    returns: 'The messages, newest first, without their text.',
    errors: ['NOTICE_NOT_FOUND'],
    example: { path, query: { limit: 1 } },
    params: NoticeParams,
    querystring: queryObject({
      state: z.enum(SHOWN_STATES).optional().describe('Only messages in this state.'),
      cursor: z
        .string()
        .regex(/^whd_[1-9]\d{0,14}$/, 'use next_cursor of the previous page')
        .optional()
        .describe('The `next_cursor` of the previous page. Send it with the same parameters.'),
      limit: queryInteger(1, 1_000).optional().describe('The maximum number of entries. Default 100.'),
    }),
    response: {
      200: z.object({ deliveries: z.array(NoticeDelivery).describe('The messages.'), next_cursor: nextCursor }),
    },
    async handler({ actor, params, query: { state, cursor, limit = DEFAULT_LIMIT } }) {
      requireAccount(actor);
      await requireNotice(db, actor, params.id);
      const before = cursor === undefined ? undefined : Number(cursor.slice('whd_'.length));
      const page = await deliveriesOf(db, { webhookId: params.id, state }, { limit, before });
      return {
        deliveries: page.deliveries.map(({ event, attemptNo: attemptCount, dueAt, ...delivery }) => ({
          ...delivery,
          id: `whd_${delivery.id}`,
          kind: event as string as NoticeKind,
          attemptCount,
          nextAttemptAt: delivery.state === 'pending' ? dueAt : null,
        })),
        nextCursor: page.next === null ? null : `whd_${page.next}`,
      };
    },
  });

  api.post('/notices/:id/test', {
    config: CHANGES,
    operationId: 'testNotice',
    tag: TAG,
    summary: 'Send a test message',
    description: 'Responds once the channel has responded, after 30 s at most. A notice has 5 tests in an hour.',
    returns: 'The outcome of the test.',
    errors: ['NOTICE_NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SENDING_DISABLED'],
    example: { path },
    params: NoticeParams,
    response: { 200: NoticeTest },
    async handler({ actor, params }) {
      requireAccount(actor);
      const { attempt, deliveryId } = await testNotice(db, actor, params.id, {
        ...{ secretBox, publicUrl: config.publicUrl, now: clock.now() },
        ...{ isSending: config.webhookSending, instanceId, sendNow },
      });
      return { ...attempt, delivered: attempt.outcome === 'delivered', deliveryId: `whd_${deliveryId}` };
    },
  });
}
