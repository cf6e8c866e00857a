import { z } from 'zod';
import { createApiKey, listApiKeys, revokeApiKey } from '../../accounts/api-key.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, name, pathText, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { AccountKey, CreatedKey, Scope, toKey } from './wire.ts';

const NewKey = bodyObject({
  name,
  scope: Scope.optional(),
  expires_at: Timestamp.nullable().optional(),
});

export function keyRoutes(api: Api, { db, clock }: SurfaceDeps): void {
  api.get(
    '/keys',
    { config: { role: 'owner' }, schema: { response: { 200: z.object({ api_keys: z.array(AccountKey) }) } } },
    async ({ actor }) => ({ api_keys: (await listApiKeys(db, actor)).map(toKey) }),
  );

  api.post(
    '/keys',
    {
      config: { role: 'owner' },
      schema: { body: NewKey, response: { 201: z.object({ api_key: CreatedKey }) } },
    },
    async ({ actor, body: { expires_at: expiresAt, ...input } }, reply) => {
      const created = await createApiKey(db, actor, { ...input, expiresAt }, clock.now());
      return reply.code(201).send({ api_key: { ...toKey(created), key: created.key } });
    },
  );

  api.delete(
    '/keys/:id',
    { config: { role: 'owner' }, schema: { params: z.object({ id: pathText }), response: { 200: Message } } },
    async ({ actor, params }) => {
      await revokeApiKey(db, actor, params.id, clock.now());
      return { message: 'API key revoked' };
    },
  );
}
