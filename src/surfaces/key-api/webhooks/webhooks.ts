import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, Message, name, opaqueId, Timestamp, component } from '../../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { EVENT_KINDS } from '../../../vocabulary/kinds.ts';
import { createWebhook } from '../../../webhooks/receivers/create.ts';
import { rotateSecret } from '../../../webhooks/receivers/rotate-secret.ts';
import { deleteWebhook, listWebhooks, requireWebhook, type Webhook } from '../../../webhooks/receivers/webhook.ts';
import { updateWebhook } from '../../../webhooks/receivers/update.ts';

/** Access to webhooks: owners only, also to read, because a URL may contain a secret of the receiver. */
export const READS = { role: 'owner', scope: 'read' } as const;
export const CHANGES = { role: 'owner', feature: 'webhooks' } as const;
/** The response has a secret. */
const REVEALS = { ...CHANGES, confirm: true } as const;
/** Every plan may delete, so that an account can clean up after a downgrade. */
const DELETES = { role: 'owner' } as const;

export const WebhookParams = z.object({
  id: opaqueId('WEBHOOK_NOT_FOUND', 'Webhook').describe('The id of the webhook, `wh_...`.'),
});
/** The same of an example. */
export const path = { id: EXAMPLE_IDS.webhook };

export const EventName = z.enum(EVENT_KINDS);

const isActive = z.boolean().describe('Whether deliveries are sent. Default true.');
const identity = {
  id: z.string().describe('The id, `wh_...`.'),
  name: z.string().describe('The name, 1 to 200 characters.'),
  url: z.string().describe('The URL that deliveries are sent to.'),
  events: z.array(EventName).describe('The subscribed event types.'),
};
const state = {
  is_active: isActive,
  created_at: Timestamp.describe('When it was created.'),
  updated_at: Timestamp.describe('When it was last changed.'),
  pending: z.int().describe('Deliveries that are waiting or in flight.'),
  fail_streak: z.int().describe('Failures since the last success.'),
  failing_since: Timestamp.nullable().describe('The time of the first of these failures; null without one.'),
  last_success_at: Timestamp.nullable().describe('The time of the last success; null for never.'),
  paused_until: Timestamp.nullable().describe('The end of a pause that the receiver requested; otherwise null.'),
  deactivated_at: Timestamp.nullable().describe('When it was deactivated; null if it is active.'),
  deactivated_reason: z
    .enum(['user', 'gone', 'failing'])
    .nullable()
    .describe(
      'By a `user`; because the receiver responded with 410 (`gone`); or after 8 days of failures (`failing`). null if it is active.',
    ),
  previous_secret_until: Timestamp.nullable().describe(
    'Until when the previous secret is also valid; null if it is not.',
  ),
};

export const WebhookBody = component('Webhook', { ...identity, ...state });

/** The response of a creation or a rotation, the only ones with the secret. */
export const SecretWebhookBody = component('CreatedWebhook', {
  ...identity,
  secret: z.string().describe('The secret that signs deliveries, `whsec_...`. Shown only in this response.'),
  ...state,
});

function webhookBody(webhook: Webhook, now: Date) {
  const { pausedUntil, previousSecretUntil } = webhook;
  return {
    ...webhook,
    pausedUntil: ifFuture(pausedUntil, now),
    previousSecretUntil: ifFuture(previousSecretUntil, now),
  };
}

const ifFuture = (time: Date | null, now: Date): Date | null => (time && time > now ? time : null);

const WebhookResponse = z.object({ webhook: WebhookBody.describe('The webhook.') });
const SecretResponse = z.object({ webhook: SecretWebhookBody.describe('The webhook.') });
const events = z
  .array(EventName)
  .min(1)
  .max(EVENT_KINDS.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once')
  .describe('The event types to subscribe to, each once.');
const fields = {
  name,
  url: z
    .string()
    .describe('The URL to send deliveries to: http or https, without user and fragment, at most 2,048 characters.'),
  events,
};
const readOnly = [...Object.keys(WebhookBody.shape), 'secret'].filter(
  (field) => field !== 'is_active' && !Object.hasOwn(fields, field),
);
const Change = bodyObject(z.object({ ...fields, is_active: isActive }).partial().shape, {
  readOnly,
  atLeastOne: true,
});

/** GET, POST /api/webhooks; GET, PUT, DELETE /api/webhooks/{id}. */
export function webhookRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, clock, config, secretBox } = deps;
  const egress = config.webhookEgress;

  app.get('', {
    config: READS,
    operationId: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    returns: 'The webhooks of the account, newest first.',
    example: {},
    response: { 200: z.object({ webhooks: z.array(WebhookBody).describe('The webhooks.') }) },
    async handler({ actor }) {
      const now = clock.now();
      return { webhooks: (await listWebhooks(db, actor)).map((webhook) => webhookBody(webhook, now)) };
    },
  });

  app.post('', {
    config: REVEALS,
    operationId: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description: 'At most 50 per account. The URL must be an allowed destination.',
    returns: 'The webhook. `secret` is shown only in this response.',
    errors: ['VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'URL_NOT_ALLOWED'],
    example: {
      body: {
        name: 'cache purge',
        url: 'http://127.0.0.1:4000/hook',
        events: ['redirect.created', 'redirect.updated', 'deployment.completed'],
      },
    },
    body: bodyObject({ ...fields, is_active: isActive.optional() }, { readOnly }),
    response: { 201: SecretResponse },
    async handler({ actor, body }) {
      const now = clock.now();
      const created = await createWebhook(db, actor, body, { secretBox, egress, now });
      return { webhook: { ...webhookBody(created, now), secret: created.secret } };
    },
  });

  app.get('/:id', {
    config: READS,
    operationId: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Show a webhook',
    returns: 'The webhook, without its secret.',
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { path },
    params: WebhookParams,
    response: { 200: WebhookResponse },
    handler: async ({ actor, params }) => ({
      webhook: webhookBody(await requireWebhook(db, actor, params.id), clock.now()),
    }),
  });

  app.put('/:id', {
    config: CHANGES,
    operationId: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description: 'Enabling the webhook resets its failures and sends pending deliveries.',
    returns: 'The updated webhook.',
    errors: ['WEBHOOK_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'URL_NOT_ALLOWED'],
    example: { path, body: { events: ['redirect.created', 'deployment.completed'] } },
    params: WebhookParams,
    body: Change,
    response: { 200: WebhookResponse },
    async handler({ actor, params, body }) {
      const now = clock.now();
      const webhook = await updateWebhook(db, actor, params.id, body, { egress, now });
      // Pending deliveries become due immediately.
      deps.committed();
      return { webhook: webhookBody(webhook, now) };
    },
  });

  app.delete('/:id', {
    config: DELETES,
    operationId: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    returns: 'The webhook is deleted and its pending deliveries are canceled.',
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { path },
    params: WebhookParams,
    response: { 200: Message },
    async handler({ actor, params }) {
      await deleteWebhook(db, actor, params.id, clock.now());
      return { message: 'Webhook deleted' };
    },
  });
}

const DAY_SECONDS = 86_400;

export function webhookSecretRoutes(app: Api, { db, clock, secretBox }: SurfaceDeps): void {
  app.post('/:id/rotate-secret', {
    config: REVEALS,
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    description: 'During the overlap, deliveries are signed so that a receiver with either secret accepts them.',
    returns: 'The webhook with its new `secret`, which is shown only in this response.',
    errors: ['WEBHOOK_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { path, body: { overlap_seconds: 3600 } },
    params: WebhookParams,
    body: bodyObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(7 * DAY_SECONDS)
        .optional()
        .describe('How long the previous secret stays valid, in seconds. Default 86,400 (one day).'),
    }),
    response: { 200: SecretResponse },
    async handler({ actor, params, body }) {
      const now = clock.now();
      const input = { id: params.id, overlapSeconds: body.overlapSeconds ?? DAY_SECONDS };
      const rotated = await rotateSecret(db, actor, input, { secretBox, now });
      return { webhook: { ...webhookBody(rotated, now), secret: rotated.secret } };
    },
  });
}
