import { z } from 'zod';
import { confirmPassword } from '../../accounts/sign-in/own-password.ts';
import { deleteAccount } from '../../websites/delete-account.ts';
import { passwordIssue } from '../../accounts/sign-in/password.ts';
import { addUser, changeRole, emailIssue, listUsers, normaliseEmail, removeUser } from '../../accounts/user.ts';
import {
  bodyObject,
  checkedText,
  Message,
  pathId,
  queryBoolean,
  queryObject,
  Timestamp,
  component,
} from '../../http/wire/fields.ts';
import { ROLES } from '../../vocabulary/actor.ts';
import { keepKeys, websiteRoles } from '../resources/websites/user-websites.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/wire/zod.ts';

export const email = z.string().describe('The email address, unique in the whole service.');
/** The same in a request that creates a user. */
export const newEmail = checkedText(z.string(), (text) => emailIssue('email', normaliseEmail(text))).describe(
  'The email address, unique in the whole service.',
);
export const role = z
  .enum(ROLES)
  .describe('`owner` may do everything, `editor` may also change websites and redirects, `viewer` may read.');

export const AccountUser = component('User', {
  id: z.int().describe('The id of the user.'),
  email,
  role,
  website_roles: websiteRoles,
  created_at: Timestamp.describe('When it was created.'),
});

export const ListedUser = component('ListedUser', {
  ...AccountUser.shape,
  two_factor: z.boolean().describe('Whether the user signs in with a code of an app too.'),
  last_active_at: Timestamp.nullable().describe(
    'The last request with a session that has not ended, to within five minutes; null without one.',
  ),
});

export function accountDeletionRoute(api: Api, { db, clock, cookie, siteChanged }: SurfaceDeps): void {
  api.delete('/account', {
    config: { role: 'owner' },
    operationId: 'deleteAccount',
    tag: 'Account and users',
    summary: 'Delete the account',
    description:
      'Cannot be undone. Users, sessions, API keys, webhooks and hosts end at once; redirects, hits and the other data are deleted in the background.',
    returns: 'The account is deleted and the cookie is cleared.',
    bodyRequired: true,
    errors: ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'BUSY'],
    responseHeaders: ['Set-Cookie'],
    example: { body: { password: 'a longer horse battery' } },
    body: bodyObject({ password: z.string().describe('Your current password.') }),
    response: { 200: Message },
    async handler({ actor, session, body }, reply) {
      await confirmPassword(db, actor, { password: body.password, sessionId: session.id }, clock.now());
      for (const id of await deleteAccount(db, actor)) await siteChanged(id);
      cookie.clear(reply);
      return { message: 'Account deleted' };
    },
  });
}

export const UserPath = z.object({ id: pathId('USER_NOT_FOUND', 'User').describe('The id of the user.') });
const Removal = bodyObject({ keep_keys: keepKeys });

export function userRoutes(api: Api, { db, clock }: SurfaceDeps): void {
  api.get('/users', {
    config: { role: 'owner' },
    operationId: 'listUsers',
    tag: 'Account and users',
    summary: 'List users',
    returns: 'The users of the account.',
    example: {},
    response: { 200: z.object({ users: z.array(ListedUser).describe('The users.') }) },
    handler: async ({ actor }) => ({ users: await listUsers(db, actor) }),
  });

  api.post('/users', {
    config: { role: 'owner', confirm: true },
    operationId: 'addUser',
    tag: 'Account and users',
    summary: 'Add a user',
    returns: 'The user, who can now sign in.',
    errors: ['CONFLICT', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS'],
    example: { body: { email: 'editor@example.com', role: 'editor', password: 'correct horse battery' } },
    body: bodyObject({
      email: newEmail,
      role,
      password: checkedText(z.string(), (text) => passwordIssue('password', text)).describe(
        'The password, at least 10 characters.',
      ),
    }),
    response: { 201: z.object({ user: AccountUser.describe('The user.') }) },
    handler: async ({ actor, body }) => ({ user: await addUser(db, actor, body) }),
  });

  api.put('/users/:id', {
    config: { role: 'owner', confirm: true },
    operationId: 'changeRole',
    tag: 'Account and users',
    summary: 'Change the role of a user',
    description:
      'The sessions of the user have the new role from their next request. A lower role revokes the API keys that the user has created. The last owner stays owner. A user who is limited to websites cannot become owner.',
    returns: 'The user.',
    errors: ['USER_NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
    example: { path: { id: 3 }, body: { role: 'viewer' } },
    params: UserPath,
    body: bodyObject(
      { role, keep_keys: keepKeys },
      { readOnly: ['id', 'email', 'website_roles', 'created_at', 'two_factor', 'last_active_at'] },
    ),
    response: { 200: z.object({ user: AccountUser.describe('The user.') }) },
    handler: async ({ actor, params, body }) => ({
      user: await changeRole(db, actor, { id: params.id, ...body }, clock.now()),
    }),
  });

  api.delete('/users/:id', {
    config: { role: 'owner', confirm: true },
    operationId: 'removeUser',
    tag: 'Account and users',
    summary: 'Remove a user',
    description:
      'The last owner of an account cannot be removed. API keys that the user created are revoked, unless `keep_keys`; `message` says how many.',
    returns: 'The user is removed and signed out everywhere.',
    errors: ['USER_NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 3 }, body: { keep_keys: false } },
    params: UserPath,
    querystring: queryObject({ keep_keys: queryBoolean.optional().describe('As in the body.') }),
    body: Removal.optional(),
    response: { 200: Message },
    async handler({ actor, params, query, body }) {
      const kept = body?.keepKeys ?? query.keepKeys;
      const { length: keys } = await removeUser(db, actor, { id: params.id, keepKeys: kept }, clock.now());
      const those = keys === 1 ? '1 API key that the user created' : `${keys} API keys that the user created`;
      const fate = `${keys === 1 ? 'is' : 'are'} ${kept ? 'still valid' : 'revoked'}`;
      return { message: keys === 0 ? 'User removed' : `User removed; ${those} ${fate}` };
    },
  });
}
