import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, pathText } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { rotateSecret } from '../../webhooks/receivers/rotate-secret.ts';
import { CHANGES } from './webhook-access.ts';
import { SecretWebhookBody, toWebhook } from './webhook-wire.ts';

const DAY_SECONDS = 86_400;

const Params = z.object({ id: pathText });
const Rotation = bodyObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(7 * DAY_SECONDS)
    .optional(),
});

/** POST /api/webhooks/{id}/rotate-secret. */
export function webhookSecretRoutes(app: Api, { db, clock, secretBox }: SurfaceDeps): void {
  app.post(
    '/:id/rotate-secret',
    {
      config: CHANGES,
      schema: {
        params: Params,
        body: Rotation,
        response: { 200: z.object({ webhook: SecretWebhookBody }) },
      },
    },
    async ({ actor, params, body }) => {
      const now = clock.now();
      const input = { id: params.id, overlapSeconds: body.overlap_seconds ?? DAY_SECONDS };
      const rotated = await rotateSecret(db, actor, input, { secretBox, now });
      return { webhook: { ...toWebhook(rotated, now), secret: rotated.secret } };
    },
  );
}
