import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, name, pathText } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { createWebhook } from '../../webhooks/receivers/create.ts';
import { deleteWebhook, listWebhooks, requireWebhook } from '../../webhooks/receivers/webhook.ts';
import { updateWebhook } from '../../webhooks/receivers/update.ts';
import { CHANGES, DELETES, READS } from './webhook-access.ts';
import { EventName, SecretWebhookBody, toWebhook, WebhookBody } from './webhook-wire.ts';

const Params = z.object({ id: pathText });
const events = z
  .array(EventName)
  .min(1)
  .max(8)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once');
const fields = { name, url: z.string(), events };
const readOnly = [...Object.keys(WebhookBody.shape), 'secret'].filter(
  (field) => field !== 'is_active' && !Object.hasOwn(fields, field),
);
const NewWebhook = bodyObject({ ...fields, is_active: z.boolean().optional() }, { readOnly });
const Change = bodyObject(z.object({ ...fields, is_active: z.boolean() }).partial().shape, {
  readOnly,
  atLeastOne: true,
});

/** /api/webhooks and /{id}: registering a receiver, and what becomes of it. */
export function webhookRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, clock, config, secretBox } = deps;
  const egress = config.webhookEgress;

  app.get(
    '',
    { config: READS, schema: { response: { 200: z.object({ webhooks: z.array(WebhookBody) }) } } },
    async ({ actor }) => {
      const now = clock.now();
      return { webhooks: (await listWebhooks(db, actor)).map((webhook) => toWebhook(webhook, now)) };
    },
  );

  app.post(
    '',
    {
      config: CHANGES,
      schema: { body: NewWebhook, response: { 201: z.object({ webhook: SecretWebhookBody }) } },
    },
    async ({ actor, body: { is_active: isActive, ...input } }, reply) => {
      const now = clock.now();
      const created = await createWebhook(db, actor, { ...input, isActive }, { secretBox, egress, now });
      return reply.code(201).send({ webhook: { ...toWebhook(created, now), secret: created.secret } });
    },
  );

  app.get(
    '/:id',
    { config: READS, schema: { params: Params, response: { 200: z.object({ webhook: WebhookBody }) } } },
    async ({ actor, params }) => ({
      webhook: toWebhook(await requireWebhook(db, actor, params.id), clock.now()),
    }),
  );

  app.put(
    '/:id',
    {
      config: CHANGES,
      schema: { params: Params, body: Change, response: { 200: z.object({ webhook: WebhookBody }) } },
    },
    async ({ actor, params, body: { is_active: isActive, ...rest } }) => {
      const now = clock.now();
      const webhook = await updateWebhook(db, actor, params.id, { ...rest, isActive }, { egress, now });
      // What was held goes on at once.
      deps.committed();
      return { webhook: toWebhook(webhook, now) };
    },
  );

  app.delete(
    '/:id',
    { config: DELETES, schema: { params: Params, response: { 200: Message } } },
    async ({ actor, params }) => {
      await deleteWebhook(db, actor, params.id, clock.now());
      return { message: 'Webhook deleted' };
    },
  );
}
