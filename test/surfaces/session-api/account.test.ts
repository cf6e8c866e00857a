/**
 * Account, users and keys as a client of surface C sees them, and who may do what. Holds the rules of
 * src/surfaces/session-api/keys.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD } from '../../support/account.ts';
import { startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  cookie = await detour.cookieOf(owner.email);
});
afterAll(() => detour.close());

test('GET /api/account answers plan, limits and usage', async () => {
  const fresh = await detour.account('pro');
  await fresh.key();
  const answer = await detour.call('GET', '/api/account', { cookie: await detour.cookieOf(fresh.email) });
  expect(answer.json()).toEqual({
    account: {
      id: fresh.actor.accountId,
      plan: 'pro',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      usage: { users: 1, api_keys: 1, websites: 0, redirects: 0, urls: 0 },
      limits: {
        requests_per_minute: 1_000,
        redirects_per_bulk_call: 10_000,
        websites: 20,
        redirects: 100_000,
        urls: 100_000,
        api_access: true,
        analytics: true,
        webhooks: false,
      },
    },
  });
});

describe('/api/users', () => {
  test('adds, lists and removes a user, who can sign in in between', async () => {
    const body = { email: ' Ed@Users.Example ', role: 'editor', password: PASSWORD };
    const added = await detour.call('POST', '/api/users', { cookie, body });
    expect(added.statusCode).toBe(201);
    const { user } = added.json();
    expect(user).toEqual({
      id: expect.any(Number),
      email: 'ed@users.example',
      role: 'editor',
      website_roles: null,
      created_at: expect.any(String),
    });
    const listed = async () => (await detour.call('GET', '/api/users', { cookie })).json().users;
    expect(await listed()).toContainEqual({ ...user, two_factor: false, last_active_at: null });

    const theirs = await detour.cookieOf('ed@users.example');
    expect(await listed()).toContainEqual({ ...user, two_factor: false, last_active_at: expect.any(String) });
    const removed = await detour.call('DELETE', `/api/users/${user.id}`, { cookie });
    expect([removed.statusCode, removed.json()]).toEqual([200, { message: expect.any(String) }]);
    expect((await detour.call('GET', '/api/auth/session', { cookie: theirs })).statusCode).toBe(401);
    expect((await detour.call('DELETE', `/api/users/${user.id}`, { cookie })).json().code).toBe('USER_NOT_FOUND');
  });

  test('an email address is unique in the whole service', async () => {
    const other = await detour.account();
    const body = { email: other.email, role: 'viewer', password: PASSWORD };
    const answer = await detour.call('POST', '/api/users', { cookie, body });
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'CONFLICT']);
  });

  test.each([
    [{ email: 'a@example.com', role: 'admin', password: PASSWORD }, 422, 'role'],
    [{ email: 'a@example.com', role: 'editor', password: 'short' }, 422, 'password'],
    [{ email: 'no address', role: 'editor', password: PASSWORD }, 422, 'email'],
    [{ email: 'a@example.com', role: 1, password: PASSWORD }, 400, 'role'],
    [{ email: 'a@example.com', role: 'editor' }, 400, 'password'],
    [{ email: 'a@example.com', role: 'editor', password: PASSWORD, name: 'A' }, 400, 'name'],
  ])('rejects %j', async (body, status, field) => {
    const answer = await detour.call('POST', '/api/users', { cookie, body });
    expect([answer.statusCode, answer.json().issues[0].path]).toEqual([status, field]);
  });

  test('the last owner stays; with a second one the first may go', async () => {
    const account = await detour.account();
    const own = await detour.cookieOf(account.email);
    const refused = await detour.call('DELETE', `/api/users/${account.userId}`, { cookie: own });
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'CONFLICT']);
    await account.user('owner');
    expect((await detour.call('DELETE', `/api/users/${account.userId}`, { cookie: own })).statusCode).toBe(200);
    expect((await detour.call('GET', '/api/account', { cookie: own })).statusCode).toBe(401);
  });

  test('lists every invalid field at once, whatever is wrong with it', async () => {
    const body = { email: 'vi', role: 'boss', password: 'short', name: 'A' };
    const answer = await detour.call('POST', '/api/users', { cookie, body });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'UNKNOWN_FIELD']);
    const paths = answer.json().issues.map((issue: { path: string }) => issue.path);
    expect(paths.toSorted()).toEqual(['email', 'name', 'password', 'role']);
  });

  test('PUT changes the role, which the sessions of the user have at once', async () => {
    const { id, email } = await owner.user('viewer');
    const theirs = await detour.cookieOf(email);
    const change = (body: object) => detour.call('PUT', `/api/users/${id}`, { cookie, body });
    const answer = await change({ role: 'owner' });
    expect([answer.statusCode, answer.json().user]).toMatchObject([200, { id, email, role: 'owner' }]);
    expect((await detour.call('GET', '/api/users', { cookie: theirs })).statusCode).toBe(200);
    expect((await change({ ...answer.json().user, role: 'editor' })).statusCode).toBe(200);
    expect((await detour.call('GET', '/api/users', { cookie: theirs })).statusCode).toBe(403);
    expect((await change({ role: 'admin' })).statusCode).toBe(422);
    expect((await change({})).statusCode).toBe(400);
    const other = await detour.account();
    const foreign = await detour.call('PUT', `/api/users/${other.userId}`, { cookie, body: { role: 'viewer' } });
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'USER_NOT_FOUND']);
  });

  test('the last owner stays owner, also if two owners demote each other at once', async () => {
    const account = await detour.account();
    const second = await account.user('owner');
    const demote = async (by: string, id: number) =>
      (await detour.call('PUT', `/api/users/${id}`, { cookie: by, body: { role: 'viewer' } })).statusCode;
    const [mine, theirs] = [await detour.cookieOf(account.email), await detour.cookieOf(second.email)];
    const statuses = await Promise.all([demote(mine, second.id), demote(theirs, account.userId)]);
    // The second request fails: its sender is no longer owner, or its user is the last one.
    expect(statuses.toSorted()[0]).toBe(200);
    expect([403, 409]).toContain(statuses.toSorted()[1]);
    const [last, id] = statuses[0] === 200 ? [mine, account.userId] : [theirs, second.id];
    expect(await demote(last, id)).toBe(409);
    expect((await detour.call('GET', '/api/users', { cookie: last })).statusCode).toBe(200);
  });

  test('the user of another account does not exist', async () => {
    const other = await detour.account();
    const answer = await detour.call('DELETE', `/api/users/${other.userId}`, { cookie });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'USER_NOT_FOUND']);
  });
});

describe('/api/keys', () => {
  test('shows a key once, lists it without, and revokes it at once', async () => {
    const body = { name: ' Deploys ', scope: 'read', expires_at: '2031-01-01T00:00:00Z' };
    const created = await detour.call('POST', '/api/keys', { cookie, body });
    expect(created.statusCode).toBe(201);
    const { key, ...shown } = created.json().api_key;
    expect(key).toMatch(/^dtr_[0-9A-Za-z]{49}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'Deploys',
      key_end: key.slice(-4),
      scope: 'read',
      created_at: '2030-05-15T12:00:01Z',
      expires_at: '2031-01-01T00:00:00Z',
      revoked_at: null,
      replaced_by: null,
      last_used_at: null,
      last_used_address: null,
      created_by: {
        type: 'user',
        id: expect.stringMatching(/^\d+$/),
        name: expect.stringContaining('@'),
        email: expect.stringContaining('@'),
      },
      website_ids: null,
    });
    const list = async () => (await detour.call('GET', '/api/keys', { cookie })).json().api_keys;
    expect(await list()).toContainEqual(shown);
    expect((await detour.call('GET', '/api/v1/nothing', { key })).json().code).toBe('NOT_FOUND');

    const revoked = await detour.call('DELETE', `/api/keys/${shown.id}`, { cookie });
    expect([revoked.statusCode, revoked.json()]).toEqual([200, { message: expect.any(String) }]);
    expect(await list()).toContainEqual(expect.objectContaining({ id: shown.id, revoked_at: '2030-05-15T12:00:01Z' }));
  });

  test('a key has scope write and no end where nothing else is said', async () => {
    const answer = await detour.call('POST', '/api/keys', { cookie, body: { name: 'k', expires_at: null } });
    expect(answer.json().api_key).toMatchObject({ scope: 'write', expires_at: null });
  });

  test.each([
    [{ name: 'k', expires_at: '2030-05-15T12:00:01Z' }, 422, 'expires_at'],
    [{ name: 'k', expires_at: '2020-01-01T00:00:00Z' }, 422, 'expires_at'],
    [{ name: 'k', expires_at: 'soon' }, 422, 'expires_at'],
    [{ name: 'k', expires_at: 1_900_000_000 }, 400, 'expires_at'],
    [{ name: 'k', scope: 'admin' }, 422, 'scope'],
    [{ name: '' }, 422, 'name'],
    [{ name: 'a'.repeat(201) }, 422, 'name'],
    [{ name: 'a\u0007' }, 422, 'name'],
    [{}, 400, 'name'],
    [{ name: 'k', key: 'mine' }, 400, 'key'],
  ])('rejects %j', async (body, status, field) => {
    const answer = await detour.call('POST', '/api/keys', { cookie, body });
    expect([answer.statusCode, answer.json().issues[0].path]).toEqual([status, field]);
  });

  test('the plan free lists and revokes keys, and creates none', async () => {
    const free = await detour.account('free');
    const own = await detour.cookieOf(free.email);
    const { id } = await free.key();
    const refused = await detour.call('POST', '/api/keys', { cookie: own, body: { name: 'k' } });
    expect([refused.statusCode, refused.json().code, refused.json().details]).toEqual([
      403,
      'PLAN_REQUIRED',
      'Requires the plan pro or a higher one',
    ]);
    expect((await detour.call('GET', '/api/keys', { cookie: own })).json().api_keys).toHaveLength(1);
    expect((await detour.call('DELETE', `/api/keys/${id}`, { cookie: own })).statusCode).toBe(200);
  });

  test('the key of another account does not exist', async () => {
    const { id } = await (await detour.account()).key();
    const answer = await detour.call('DELETE', `/api/keys/${id}`, { cookie });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'KEY_NOT_FOUND']);
  });
});

describe('roles', () => {
  const allowed = { owner: 0, editor: 1, viewer: 2 };
  const calls = [
    ['GET', '/api/auth/session', 'viewer'],
    ['GET', '/api/auth/sessions', 'viewer'],
    ['POST', '/api/auth/password', 'viewer'],
    ['POST', '/api/auth/confirm', 'viewer'],
    ['DELETE', '/api/auth/sessions/ses_x', 'viewer'],
    ['GET', '/api/account', 'viewer'],
    ['GET', '/api/users', 'owner'],
    ['POST', '/api/users', 'owner'],
    ['PUT', '/api/users/1', 'owner'],
    ['DELETE', '/api/users/1', 'owner'],
    ['GET', '/api/keys', 'owner'],
    ['POST', '/api/keys', 'owner'],
    ['DELETE', '/api/keys/key_x', 'owner'],
  ] as const;

  test.each(['owner', 'editor', 'viewer'] as const)('what a user who is %s may ask for', async (role) => {
    const theirs = await detour.cookieOf((await owner.user(role)).email);
    for (const [method, url, least] of calls) {
      const body = method === 'POST' ? {} : undefined;
      const answer = await detour.call(method, url, { cookie: theirs, body });
      const isRefused = allowed[role] > allowed[least];
      expect([method, url, answer.json().code === 'INSUFFICIENT_ROLE']).toEqual([method, url, isRefused]);
      expect(answer.statusCode === 403).toBe(isRefused);
    }
  });

  test('a role that was taken away is gone with the next request', async () => {
    const user = await owner.user('owner');
    const theirs = await detour.cookieOf(user.email);
    expect((await detour.call('GET', '/api/keys', { cookie: theirs })).statusCode).toBe(200);
    await detour.database.db.$client.query(`update users set role = 'viewer' where id = $1`, [user.id]);
    expect((await detour.call('GET', '/api/keys', { cookie: theirs })).statusCode).toBe(403);
  });
});
