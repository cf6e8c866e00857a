import { z } from 'zod';
import { limitUser } from '../../../accounts/limit-user.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, pathId, component } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { ROLES, WEBSITE_ROLES } from '../../../vocabulary/actor.ts';

export const websiteRoles = z
  .record(z.string(), z.enum(WEBSITE_ROLES))
  .nullable()
  .describe(
    'The websites that the user is limited to, by id, with the role at each: `editor` or `viewer`. `{}`: none. null: all websites, with `role`.',
  );

export const keepKeys = z
  .boolean()
  .optional()
  .describe('Whether API keys that the user has created stay valid. Default false: they are revoked.');

const LimitedUser = component('LimitedUser', {
  id: z.string().describe('The id of the user.'),
  email: z.string().describe('The email address.'),
  role: z.enum(ROLES).describe('The role in the account, which does not count while the user is limited.'),
  website_roles: websiteRoles,
});

/** PUT /api/v1/users/{id}/websites. */
export function userWebsitesRoute(api: Api, { db, clock }: SurfaceDeps): void {
  api.put('/users/:id/websites', {
    config: { role: 'owner', keys: false, forDashboard: true, confirm: true },
    operationId: 'limitUserV1',
    tag: 'Account and users',
    summary: 'Limit a user to websites',
    description:
      'The user reaches only these websites, with the role there, from the next request. What belongs to others does not exist for the user: 404. When a website is deleted, it leaves the list; an empty list stays a limit. Only owners call this, with a session; an owner cannot be limited.',
    returns: 'The user, and the API keys that were revoked.',
    errors: ['USER_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { path: { id: 3 }, body: { website_roles: { 1: 'editor' } } },
    params: z.object({ id: pathId('USER_NOT_FOUND', 'User').describe('The id of the user.') }),
    body: bodyObject({ website_roles: websiteRoles, keep_keys: keepKeys }),
    response: {
      200: z.object({
        user: LimitedUser.describe('The user.'),
        revoked_api_keys: z.array(z.string()).describe('The names of the revoked API keys, each with its id.'),
      }),
    },
    async handler({ actor, params, body }) {
      const { user, keys } = await limitUser(db, actor, { id: params.id, ...body }, clock.now());
      return { user: { ...user, id: String(user.id) }, revokedApiKeys: keys };
    },
  });
}
