import { z } from 'zod';
import { type ApiKey, createApiKey, listApiKeys, renameApiKey, revokeApiKey } from '../../accounts/api-key.ts';
import { rollApiKey } from '../../accounts/roll-api-key.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, name, opaqueId, Timestamp, component, part } from '../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../http/route-docs.ts';
import type { Api } from '../../http/wire/zod.ts';
import { SCOPES } from '../../vocabulary/actor.ts';

const scope = z
  .enum(SCOPES)
  .describe('`read` may only read, and report the hits of agents; `write` (default) may do what an editor may do.');

export const AccountKey = component('ApiKey', {
  id: z.string().describe('The id, `key_...`.'),
  name: z.string().describe('The name, 1 to 200 characters.'),
  key_end: z
    .string()
    .nullable()
    .describe('The last 4 characters of the key; null if it was created before version 0.2.0.'),
  scope,
  website_ids: z
    .array(z.int())
    .nullable()
    .describe('The websites that it is limited to, without deleted ones; null for all websites.'),
  created_at: Timestamp.describe('When it was created.'),
  expires_at: Timestamp.nullable().describe('When it expires; null for never.'),
  revoked_at: Timestamp.nullable().describe('When it was revoked; null if it was not.'),
  replaced_by: z.string().nullable().describe('The id of the key that was rolled in its place; null for none.'),
  last_used_at: Timestamp.nullable().describe('When it was last used, accurate to about a minute; null for never.'),
  last_used_address: z.string().nullable().describe('The IP address of that use; null if it is unknown.'),
  created_by: part('Who created it; null if it was created before version 0.2.0.', {
    type: z.enum(['user', 'key', 'system']).describe('A user, or `system`: the operator of the service.'),
    id: z.string().describe('The id of the user; empty for the operator.'),
    name: z.string().describe('The email of the user at the time, or `system`.'),
    email: z.string().nullable().describe('The email of the user at the time; null for the operator.'),
  }).nullable(),
});

/** The only response with the key itself. */
export const CreatedKey = AccountKey.extend({
  key: z.string().describe('The key itself, `dtr_...`. The service stores only its hash.'),
}).meta({ id: 'CreatedApiKey' });

function keyBody({ createdByType: type, createdById, createdByName: name, ...key }: ApiKey) {
  const email = type === 'user' ? name : null;
  return {
    ...key,
    lastUsedAt: key.usedAt,
    lastUsedAddress: key.usedAddress,
    createdBy: type && { type, id: createdById ?? '', name: name ?? '', email },
  };
}

const KeyPath = z.object({ id: opaqueId('KEY_NOT_FOUND', 'API key').describe('The id of the key, `key_...`.') });
const MAX_HOURS = 7 * 24;

export function keyRoutes(api: Api, deps: SurfaceDeps): void {
  const { db, clock } = deps;
  api.get('/keys', {
    config: { role: 'owner' },
    operationId: 'listApiKeys',
    tag: 'API keys',
    summary: 'List API keys',
    returns: 'The keys of the account, without their secret values.',
    example: {},
    response: { 200: z.object({ api_keys: z.array(AccountKey).describe('The API keys.') }) },
    handler: async ({ actor }) => ({ apiKeys: (await listApiKeys(db, actor)).map(keyBody) }),
  });

  api.post('/keys', {
    config: { role: 'owner', feature: 'apiAccess', confirm: true },
    operationId: 'createApiKey',
    tag: 'API keys',
    summary: 'Create an API key',
    returns: 'The API key. `key` is shown only in this response.',
    errors: ['VALIDATION_ERROR', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS'],
    example: { body: { name: 'publishing pipeline', scope: 'write', expires_at: null, website_ids: [1] } },
    body: bodyObject({
      name,
      scope: scope.optional(),
      expires_at: Timestamp.nullable()
        .optional()
        .describe('When it expires, a time in the future. Omitted or null: never.'),
      website_ids: z
        .array(z.int())
        .nullable()
        .optional()
        .describe(
          'The only websites that the key reaches, at least one. It sees no others, cannot create websites, and has no access to webhooks. Omitted or null: all websites.',
        ),
    }),
    response: { 201: z.object({ api_key: CreatedKey.describe('The API key.') }) },
    async handler({ actor, body }) {
      const created = await createApiKey(db, actor, body, clock.now());
      return { apiKey: { ...keyBody(created), key: created.key } };
    },
  });

  api.delete('/keys/:id', {
    config: { role: 'owner', confirm: true },
    operationId: 'revokeApiKey',
    tag: 'API keys',
    summary: 'Revoke an API key',
    returns: 'The key stops working within a second, in every process.',
    errors: ['KEY_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.apiKey } },
    params: KeyPath,
    response: { 200: Message },
    async handler({ actor, params }) {
      await revokeApiKey(db, actor, params.id, clock.now());
      return { message: 'API key revoked' };
    },
  });
  changeRoutes(api, deps);
}

function changeRoutes(api: Api, { db, clock }: SurfaceDeps): void {
  api.patch('/keys/:id', {
    config: { role: 'owner', confirm: true },
    operationId: 'renameApiKey',
    tag: 'API keys',
    summary: 'Rename an API key',
    description: 'The key itself and its access stay the same. Entries of earlier requests keep the old name.',
    returns: 'The API key.',
    errors: ['KEY_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { path: { id: EXAMPLE_IDS.apiKey }, body: { name: 'publishing pipeline, EU' } },
    params: KeyPath,
    body: bodyObject({ name }),
    response: { 200: z.object({ api_key: AccountKey.describe('The API key.') }) },
    handler: async ({ actor, params, body }) => ({
      apiKey: keyBody(await renameApiKey(db, actor, { id: params.id, name: body.name })),
    }),
  });

  api.post('/keys/:id/roll', {
    config: { role: 'owner', feature: 'apiAccess', confirm: true },
    operationId: 'rollApiKey',
    tag: 'API keys',
    summary: 'Roll an API key',
    description:
      'Creates a new key with the name, scope, websites and expiry of this one, which stays valid for `expires_in_hours`, but never longer than before.',
    returns: 'The new API key, and the previous one with its new end. `key` is shown only in this response.',
    errors: ['KEY_NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS'],
    example: { path: { id: EXAMPLE_IDS.apiKey }, body: { expires_in_hours: 24 } },
    params: KeyPath,
    body: bodyObject({
      expires_in_hours: z
        .int()
        .min(0)
        .max(MAX_HOURS)
        .describe(`How long the previous key stays valid: 0 (revoke it now) to ${MAX_HOURS} hours.`),
    }),
    response: {
      201: z.object({
        api_key: CreatedKey.describe('The new API key.'),
        previous: AccountKey.describe('The key that it replaces.'),
      }),
    },
    async handler({ actor, params, body }) {
      const input = { id: params.id, expiresInHours: body.expiresInHours };
      const { created, previous } = await rollApiKey(db, actor, input, clock.now());
      return { apiKey: { ...keyBody(created), key: created.key }, previous: keyBody(previous) };
    },
  });
}
