import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteWebsite } from '../../../../src/websites/delete.ts';
import { startTestApp, type TestApp, type TestOwner } from '../../../support/app.ts';
import { PASSWORD } from '../../../support/account.ts';

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
/** websites of the owner's account, and one of another account */
let first: number;
let second: number;
let foreign: number;

const dashboard = { 'x-detour-dashboard': '1' };

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  cookie = await detour.cookieOf(owner.email);
  first = await website(cookie, 'first');
  second = await website(cookie, 'second');
  const other = await detour.account();
  foreign = await website(await detour.cookieOf(other.email), 'foreign');
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

async function website(of: string, name: string): Promise<number> {
  const answer = await detour.call('POST', '/api/websites', { cookie: of, body: { name, auto_deploy: false } });
  return answer.json().website.id;
}

const limit = (id: number, body: object, by: object = { cookie }) =>
  detour.call('PUT', `/api/v1/users/${id}/websites`, { headers: dashboard, ...by, body });

/** A user of the account, signed in. */
async function colleague(role: 'owner' | 'editor' | 'viewer' = 'editor') {
  const user = await owner.user(role);
  return { ...user, cookie: await detour.cookieOf(user.email) };
}

const namesOf = async (of: string): Promise<string[]> => {
  const answer = await detour.call('GET', '/api/websites', { cookie: of });
  return answer.json().websites.map(({ name }: { name: string }) => name);
};

const addRedirect = (of: string, websiteId: number, path: string) =>
  detour.call('POST', '/api/redirects', {
    cookie: of,
    body: { website_id: websiteId, old_path: path, new_path: '/to' },
  });

describe('PUT /api/v1/users/{id}/websites', () => {
  test('limits a user, shows it to owners and to the user, and null lifts it', async () => {
    const { id, email, cookie: theirs } = await colleague();
    const websiteRoles = { [first]: 'editor', [second]: 'viewer' };
    const answer = await limit(id, { website_roles: websiteRoles });
    const user = { id: String(id), email, role: 'editor', website_roles: websiteRoles };
    expect([answer.statusCode, answer.json()]).toEqual([200, { user, revoked_api_keys: [] }]);
    const { users } = (await detour.call('GET', '/api/users', { cookie })).json();
    expect(users.find((each: { id: number }) => each.id === id).website_roles).toEqual(websiteRoles);
    const session = await detour.call('GET', '/api/auth/session', { cookie: theirs });
    expect(session.json().user).toMatchObject({ role: 'editor', website_roles: websiteRoles });
    const audit = await detour.call('GET', '/api/audit?action=user.websites_changed&limit=1', { cookie });
    const details = { before: null, after: websiteRoles };
    expect(audit.json().entries[0]).toMatchObject({ target: email, details });
    expect((await limit(id, { website_roles: {} })).json().user.website_roles).toEqual({});
    expect(await namesOf(theirs)).toEqual([]);
    expect((await limit(id, { website_roles: null })).json().user.website_roles).toBeNull();
    expect(await namesOf(theirs)).toEqual(['first', 'second']);
  });

  test.each([
    ['an unknown website', () => ({ [first]: 'editor', 999_999: 'viewer' }), 422],
    ['a website of another account', () => ({ [foreign]: 'viewer' }), 422],
    ['a text that is no id', () => ({ [`0${first}`]: 'viewer' }), 422],
    ['the role owner', () => ({ [first]: 'owner' }), 422],
    ['a role that is no text', () => ({ [first]: 1 }), 400],
    ['a list', () => [first], 400],
  ])('rejects %s, and stores nothing', async (_what, roles: () => object, status) => {
    const { id, cookie: theirs } = await colleague();
    const answer = await limit(id, { website_roles: roles() });
    expect([answer.statusCode, answer.json().issues[0].path]).toEqual([
      status,
      expect.stringMatching(/^website_roles/),
    ]);
    expect(await namesOf(theirs)).toEqual(['first', 'second']);
  });

  test('owners cannot be limited, and a limited user cannot become one', async () => {
    const boss = await colleague('owner');
    expect((await limit(boss.id, { website_roles: { [first]: 'editor' } })).statusCode).toBe(422);
    const { id } = await colleague();
    await limit(id, { website_roles: { [first]: 'editor' } });
    const promote = () => detour.call('PUT', `/api/users/${id}`, { cookie, body: { role: 'owner' } });
    const rejected = await promote();
    expect([rejected.statusCode, rejected.json().issues[0].path]).toEqual([422, 'role']);
    await limit(id, { website_roles: null });
    expect((await promote()).statusCode).toBe(200);
  });

  test('is for sessions of owners only, on every plan', async () => {
    const { id, cookie: theirs } = await colleague();
    const body = { website_roles: { [first]: 'editor' } };
    const { key } = await owner.key();
    for (const by of [
      { cookie: theirs, headers: dashboard },
      { key, headers: {} },
    ]) {
      const answer = await limit(id, body, by);
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'INSUFFICIENT_ROLE']);
    }
    expect((await limit(id, body, { cookie, headers: {} })).statusCode).toBe(401);
    expect((await limit(2 ** 30, body)).json().code).toBe('USER_NOT_FOUND');
    const free = await detour.account('free');
    const their = await detour.cookieOf(free.email);
    const user = await free.user('viewer');
    const answer = await limit(user.id, { website_roles: {} }, { cookie: their, headers: dashboard });
    expect(answer.statusCode).toBe(200);
    detour.clock.advance(31 * 60_000);
    expect((await limit(user.id, { website_roles: null }, { cookie: their })).json().code).toBe('CONFIRM_PASSWORD');
    cookie = await detour.cookieOf(owner.email);
  });
});

test('when the last website is deleted, the person sees none', async () => {
  const { id, cookie: theirs } = await colleague();
  const gone = await website(cookie, 'gone');
  await limit(id, { website_roles: { [gone]: 'editor' } });
  await deleteWebsite(detour.database.db, owner.actor, gone, true);
  expect(await namesOf(theirs)).toEqual([]);
  const session = await detour.call('GET', '/api/auth/session', { cookie: theirs });
  expect(session.json().user.website_roles).toEqual({});
});

test('an invitation limits the invited person; a website that is deleted before leaves an empty limit', async () => {
  const gone = await website(cookie, 'gone');
  const invite = (body: object) =>
    detour.call('POST', '/api/invitations', {
      cookie,
      body: { email: 'limited@invited.example', role: 'editor', ...body },
    });
  expect((await invite({ website_roles: { [foreign]: 'viewer' } })).statusCode).toBe(422);
  expect((await invite({ role: 'owner', website_roles: {} })).statusCode).toBe(422);
  const created = await invite({ website_roles: { [gone]: 'editor' } });
  expect(created.json().invitation.website_roles).toEqual({ [gone]: 'editor' });
  await deleteWebsite(detour.database.db, owner.actor, gone, true);
  const token = created.json().invitation.url.split('#')[1];
  const body = { token, password: PASSWORD };
  expect((await detour.call('POST', '/api/auth/accept-invitation', { body })).statusCode).toBe(201);
  expect(await namesOf(await detour.cookieOf('limited@invited.example'))).toEqual([]);
});

describe('the API keys that a user has created', () => {
  const keyOf = async (of: string, name: string): Promise<string> =>
    (await detour.call('POST', '/api/keys', { cookie: of, body: { name } })).json().api_key.key;
  const works = async (key: string) => (await detour.call('GET', '/api/v1/account', { key })).statusCode === 200;
  const demote = (id: number, more = {}) =>
    detour.call('PUT', `/api/users/${id}`, { cookie, body: { role: 'editor', ...more } });

  test('are revoked when the user is demoted, limited or removed, unless keep_keys', async () => {
    const user = await colleague('owner');
    const key = await keyOf(user.cookie, 'theirs');
    await demote(user.id, { keep_keys: true });
    expect(await works(key)).toBe(true);
    const kept = await limit(user.id, { website_roles: { [first]: 'viewer' }, keep_keys: true });
    expect([kept.json().revoked_api_keys, await works(key)]).toEqual([[], true]);
    const limited = await limit(user.id, { website_roles: { [first]: 'viewer' } });
    expect(limited.json().revoked_api_keys).toEqual([expect.stringMatching(/^theirs \(key_/)]);
    expect(await works(key)).toBe(false);

    const demoted = await colleague('owner');
    const other = await keyOf(demoted.cookie, 'other');
    await demote(demoted.id);
    expect(await works(other)).toBe(false);

    const removed = await colleague('owner');
    const last = await keyOf(removed.cookie, 'last');
    const answer = await detour.call('DELETE', `/api/users/${removed.id}`, { cookie, body: { keep_keys: true } });
    expect(answer.json().message).toBe('User removed; 1 API key that the user created is still valid');
    expect(await works(last)).toBe(true);
  });
});

describe('a limited person', () => {
  test('has the only visible website by default, and creates none', async () => {
    const { id, cookie: theirs } = await colleague('viewer');
    await limit(id, { website_roles: { [first]: 'editor' } });
    const created = await detour.call('POST', '/api/redirects', {
      cookie: theirs,
      body: { old_path: '/default', new_path: '/to' },
    });
    expect(created.json().redirect.website_id).toBe(first);
    const answer = await detour.call('POST', '/api/websites', { cookie: theirs, body: { name: 'mine' } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'INSUFFICIENT_ROLE']);
  });

  test('learns no name of colleagues and keys, neither from lists nor by filters nor from errors', async () => {
    const { id, email, cookie: theirs } = await colleague();
    await limit(id, { website_roles: { [first]: 'editor' } });
    const { key } = await owner.key();
    const byOwner = (await addRedirect(cookie, first, '/by-owner')).json().redirect;
    await detour.call('POST', '/api/v1/redirects', {
      key,
      body: { website_id: String(first), old_path: '/by-key', new_path: '/to' },
    });
    await addRedirect(theirs, first, '/by-oneself');
    await detour.call('PUT', `/api/websites/${first}`, { cookie, body: { name: 'first' } });
    await detour.call('PUT', `/api/websites/${first}`, { cookie, body: { query: 'drop' } });
    await detour.call('POST', '/api/deployments', { cookie, body: { website_id: first, environment: 'staging' } });
    const get = async (path: string) => (await detour.call('GET', `/api${path}`, { cookie: theirs })).json();
    const of = `website_id=${first}`;
    const colleagues = { type: 'user', id: null, name: 'a colleague' };
    const oneself = { type: 'user', id: String(id), name: email };
    const { changes } = await get(`/changes?${of}&limit=3`);
    expect(changes.map(({ actor }: { actor: object }) => actor)).toEqual([oneself, colleagues, colleagues]);
    for (const path of [
      `/changes?${of}`,
      `/activity?${of}`,
      `/events?${of}`,
      `/deployments?${of}`,
      `/imports?${of}`,
      `/deployments/diff?${of}&environment=production`,
      `/redirects/${byOwner.id}/history`,
    ]) {
      const text = JSON.stringify(await get(path));
      expect([path, text.includes(owner.email), text.includes('key_'), text.includes('"test"')]).toEqual([
        path,
        false,
        false,
        false,
      ]);
    }
    for (const list of ['changes', 'activity'] as const) {
      const found = async (actor: string) => (await get(`/${list}?${of}&actor=${encodeURIComponent(actor)}`))[list];
      expect(await found(owner.email)).toEqual([]);
      expect((await found(email)).length).toBeGreaterThan(0);
      expect((await found('a colleague')).length).toBeGreaterThan(1);
    }
    const stale = await detour.call('PUT', `/api/redirects/${byOwner.id}`, {
      cookie: theirs,
      body: { new_path: '/x', if_updated_at: '2020-01-01T00:00:00Z' },
    });
    expect(stale.json()).toMatchObject({ code: 'CHANGED_SINCE', changed_by: colleagues });
    expect(stale.body).not.toContain(owner.email);
  });

  test('learns nothing of hidden websites from quotas and taken hosts', async () => {
    const free = await detour.account('free');
    const own = await detour.cookieOf(free.email);
    const [full, small] = [await website(own, 'full'), await website(own, 'small')];
    const hosts = [{ hostname: 'secret.example', environment: 'production' }];
    await detour.call('PUT', `/api/websites/${full}`, { cookie: own, body: { name: 'full', hosts } });
    await detour.database.db.execute(`update websites set redirects = 9999 where id = ${full}`);
    const user = await free.user('viewer');
    const theirs = await detour.cookieOf(user.email);
    await limit(user.id, { website_roles: { [small]: 'editor' } }, { cookie: own, headers: dashboard });
    expect((await addRedirect(theirs, small, '/fits')).statusCode).toBe(201);
    const over = await addRedirect(theirs, small, '/too-many');
    expect(over.json().code).toBe('PLAN_LIMIT_EXCEEDED');
    expect(over.body).not.toMatch(/9,999|10,001|has 10,000/);
    const taken = await detour.call('PUT', `/api/websites/${small}`, { cookie: theirs, body: { hosts } });
    expect(taken.statusCode).toBe(409);
    expect(taken.body).not.toMatch(/full/);
  });
});

describe('a role that changes while a call is running', () => {
  const bulkBody = (path: string) =>
    JSON.stringify({ website_id: String(first), redirects: [{ old_path: path, new_path: '/to' }] });

  test.each([
    ['hidden', () => ({ [second]: 'editor' }), 404],
    ['only viewed', () => ({ [first]: 'viewer', [second]: 'editor' }), 403],
  ])('decides about an import whose body arrives later: the website is %s by then', async (what, after, status) => {
    const { id, cookie: theirs } = await colleague('viewer');
    await limit(id, { website_roles: { [first]: 'editor' } });
    const text = bulkBody(`/late-${what.replace(' ', '-')}`);
    const payload = Readable.from(
      (async function* () {
        yield text.slice(0, 30);
        const limited = await limit(id, { website_roles: after() });
        expect(limited.statusCode).toBe(200);
        yield text.slice(30);
      })(),
    );
    const answer = await detour.app.inject({
      method: 'POST',
      url: '/api/v1/redirects/bulk',
      headers: { cookie: theirs, ...dashboard, 'content-type': 'application/json' },
      payload,
    });
    expect(answer.statusCode).toBe(status);
    const found = await detour.call('GET', `/api/redirects/count?website_id=${first}&q=late-`, { cookie });
    expect(found.json().count).toBe(0);
  });

  test('decides about the next request of a session, with writes in between', async () => {
    const { id, cookie: theirs } = await colleague('viewer');
    await limit(id, { website_roles: { [first]: 'editor' } });
    const writes = Array.from({ length: 10 }, (_, at) => addRedirect(theirs, first, `/race-${at}`));
    const limited = limit(id, { website_roles: { [first]: 'viewer' } });
    const statuses = (await Promise.all(writes)).map(({ statusCode }) => statusCode);
    await limited;
    expect(statuses.every((status) => status === 201 || status === 403)).toBe(true);
    expect((await addRedirect(theirs, first, '/race-after')).json().code).toBe('INSUFFICIENT_ROLE');
    const count = await detour.call('GET', `/api/redirects/count?website_id=${first}&q=race-`, { cookie });
    expect(count.json().count).toBe(statuses.filter((status) => status === 201).length);
  });
});
