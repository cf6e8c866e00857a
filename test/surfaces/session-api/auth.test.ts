/** Signing in and out as a client of surface C sees it; in the order of the table of accounts, users and plans. */
import { eq } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPlan } from '../../../src/accounts/account.ts';
import { sessions, users } from '../../../src/db/schema/accounts.ts';
import { PASSWORD } from '../../support/account.ts';
import { cookieFrom, startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
beforeAll(async () => void (detour = await startTestApp()));
afterAll(() => detour.close());

const signIn = (email: string, password: string, on = detour) =>
  on.call('POST', '/api/auth/sign-in', { body: { email, password } });

const signInFrom = (remoteAddress: string, body: { email: string; password: string }, cookie = '') =>
  detour.call('POST', '/api/auth/sign-in', { body, remoteAddress, cookie });

/** The Cookie header with the device token of the response. */
const deviceFrom = ({ headers }: LightMyRequestResponse): string =>
  String([headers['set-cookie'] ?? []].flat()[1]).split(';')[0] ?? '';

describe('POST /api/auth/sign-up', () => {
  const credentials = { email: 'New@Example.com', password: 'long enough to do' };

  test('is closed by default and creates nothing', async () => {
    const answer = await detour.call('POST', '/api/auth/sign-up', { body: credentials });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'SIGN_UP_CLOSED']);
    expect(await detour.database.db.$count(users, eq(users.email, 'new@example.com'))).toBe(0);
  });

  test('if it is open, it signs in the owner of a new free account; the same email again is 409', async () => {
    const open = await startTestApp({ env: { SIGN_UP: 'open' } });
    const answer = await open.call('POST', '/api/auth/sign-up', { body: credentials });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      user: { id: expect.any(Number), email: 'new@example.com', role: 'owner', plan: 'free' },
    });
    const session = await open.call('GET', '/api/auth/session', { cookie: cookieFrom(answer) });
    expect(session.json().user).toEqual({ ...answer.json().user, website_roles: null });

    const again = await open.call('POST', '/api/auth/sign-up', {
      body: { ...credentials, email: 'new@example.com' },
    });
    expect([again.statusCode, again.json().code]).toEqual([409, 'CONFLICT']);
    expect(again.headers).not.toHaveProperty('set-cookie');
    const bad = await open.call('POST', '/api/auth/sign-up', { body: { email: 'x', password: 'short' } });
    expect([bad.statusCode, bad.json().issues.length]).toEqual([422, 2]);
    await open.close();
  });
});

describe('POST /api/auth/sign-in', () => {
  test('answers the user and a cookie that scripts and other sites do not get', async () => {
    const { email, userId } = await detour.account('business');
    const answer = await signIn(` ${email.toUpperCase()} `, PASSWORD);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ user: { id: userId, email, role: 'owner', plan: 'business' } });
    const [session = '', device = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const [cookie, ...attributes] = session.split('; ');
    expect(cookie).toMatch(/^detour\.session-token=[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    expect(device).toMatch(/^detour\.device=[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test('the cookie is Secure where PUBLIC_URL is https, and named after COOKIE_PREFIX', async () => {
    const secure = await startTestApp({
      env: { PUBLIC_URL: 'https://detour.example', COOKIE_PREFIX: 'acme' },
    });
    const { email } = await secure.account();
    const [session = '', device = ''] = [(await signIn(email, PASSWORD, secure)).headers['set-cookie'] ?? []].flat();
    expect(session).toMatch(/^acme\.session-token=.*; Secure/);
    expect(device).toMatch(/^acme\.device=.*; Secure/);
    await secure.close();
  });

  test('only a hash of the token is stored', async () => {
    const { email, userId } = await detour.account();
    const token = (await detour.cookieOf(email)).split('=')[1] ?? '';
    const [row] = await detour.database.db.select().from(sessions).where(eq(sessions.userId, userId));
    expect(row?.tokenHash).toHaveLength(32);
    expect(JSON.stringify({ ...row, tokenHash: row?.tokenHash.toString('latin1') })).not.toContain(token);
  });

  test('answers the same for a wrong password and an unknown user', async () => {
    const { email } = await detour.account();
    const [wrong, unknown] = [await signIn(email, 'not the password'), await signIn('unknown@example.com', PASSWORD)];
    expect(wrong.statusCode).toBe(401);
    expect(wrong.json()).toMatchObject({ code: 'INVALID_CREDENTIALS', error: expect.any(String) });
    expect([unknown.statusCode, unknown.body]).toEqual([wrong.statusCode, wrong.body]);
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers));
    expect(wrong.headers).not.toHaveProperty('set-cookie');
  });

  test.each(['known', 'unknown'])(
    'after 10 failures the %s e-mail has to wait, the right password too',
    async (which) => {
      const owner = await detour.account();
      const email = which === 'known' ? owner.email : `${which}@throttle.example`;
      for (let i = 0; i < 10; i++) expect((await signIn(email, 'wrong password')).statusCode).toBe(401);
      const refused = await signIn(email, PASSWORD);
      expect(refused.statusCode).toBe(429);
      const reset = detour.clock.now().getTime() / 1_000 + 900;
      expect(refused.json()).toEqual({ error: expect.any(String), limit: 10, reset, code: 'RATE_LIMIT_EXCEEDED' });
      expect(refused.headers['retry-after']).toBe('900');
      detour.clock.advance(900_000);
      expect((await signIn(email, PASSWORD)).statusCode).toBe(which === 'known' ? 200 : 401);
    },
  );

  test('strangers lock out neither a device of the user nor another network', async () => {
    const { email } = await detour.account();
    const from = (address: string, password: string, cookie?: string) =>
      signInFrom(address, { email, password }, cookie);
    const device = deviceFrom(await from('203.0.113.9', PASSWORD));
    for (let i = 0; i < 10; i++) await from(`203.0.113.${i}`, 'wrong password');
    expect((await from('203.0.113.99', PASSWORD)).statusCode).toBe(429);
    expect((await from('203.0.112.99', PASSWORD)).statusCode).toBe(200);
    expect((await from('203.0.113.99', PASSWORD, device)).statusCode).toBe(200);
    // The device of another user does not count.
    const other = await detour.account();
    const foreign = deviceFrom(await signIn(other.email, PASSWORD));
    expect(foreign).toMatch(/^detour\.device=./);
    expect((await from('203.0.113.99', PASSWORD, foreign)).statusCode).toBe(429);
  });

  test('success clears the failures', async () => {
    const { email } = await detour.account();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++) await signIn(email, 'wrong password');
      expect((await signIn(email, PASSWORD)).statusCode).toBe(200);
    }
  });

  test.each([
    [{ email: 'a@example.com' }, 'MISSING_PARAMETER', 'password'],
    [{ password: 'x' }, 'MISSING_PARAMETER', 'email'],
    [{ email: 1, password: 'x' }, 'INVALID_PARAMETER', 'email'],
    [{ email: 'a@example.com', password: 'x', remember: true }, 'UNKNOWN_FIELD', 'remember'],
  ])('a body such as %j is 400', async (body, code, field) => {
    const answer = await detour.call('POST', '/api/auth/sign-in', { body });
    expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
    expect(answer.json().details).toContain(field);
  });
});

describe('POST /api/auth/sign-out', () => {
  test('ends the session at once and clears the cookie', async () => {
    const cookie = await detour.cookieOf((await detour.account()).email);
    const answer = await detour.call('POST', '/api/auth/sign-out', { cookie });
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: expect.any(String) }]);
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^detour\.session-token=; .*(Max-Age=0|Expires=Thu, 01 Jan 1970)/,
    );
    expect((await detour.call('GET', '/api/auth/session', { cookie })).statusCode).toBe(401);
    expect((await detour.call('POST', '/api/auth/sign-out', { cookie })).statusCode).toBe(401);
  });
});

describe('GET /api/auth/session', () => {
  test('answers the user with role and plan of this moment, and when the session ends', async () => {
    const owner = await detour.account('free');
    const cookie = await detour.cookieOf(owner.email);
    await setPlan(detour.database.db, owner.actor, 'enterprise');
    const expires = new Date(detour.clock.now().getTime() + 30 * 86_400_000).toISOString().slice(0, 19);
    expect((await detour.call('GET', '/api/auth/session', { cookie })).json()).toEqual({
      user: { id: owner.userId, email: owner.email, role: 'owner', plan: 'enterprise', website_roles: null },
      mail: false,
      expires_at: `${expires}Z`,
      totp: { is_on: false, recovery_codes_left: 0 },
    });
  });

  test('the session slides with use, writes at most every five minutes, and ends 30 days after the last', async () => {
    const { email } = await detour.account();
    const cookie = await detour.cookieOf(email);
    const use = () => detour.call('GET', '/api/auth/session', { cookie });
    const first = (await use()).json().expires_at;
    detour.clock.advance(299_000);
    const early = await use();
    expect([early.json().expires_at, early.headers['set-cookie']]).toEqual([first, undefined]);
    detour.clock.advance(1_000);
    await use();
    const [session] = (await detour.call('GET', '/api/auth/sessions', { cookie })).json().sessions;
    expect(Date.parse(session.last_seen_at)).toBe(Math.floor(detour.clock.now().getTime() / 1_000) * 1_000);
    detour.clock.advance(29 * 86_400_000);
    const slid = await use();
    expect(Date.parse(slid.json().expires_at)).toBeGreaterThan(Date.parse(first));
    expect(String(slid.headers['set-cookie'])).toContain(`${cookie}; Max-Age=2592000`);
    detour.clock.advance(29 * 86_400_000);
    expect((await use()).statusCode).toBe(200);
    detour.clock.advance(30 * 86_400_000);
    expect((await use()).statusCode).toBe(401);
  });

  test('the session ends 90 days after the sign-in, however it is used', async () => {
    const { email } = await detour.account();
    const cookie = await detour.cookieOf(email);
    const use = () => detour.call('GET', '/api/auth/session', { cookie });
    const signedInAt = detour.clock.now().getTime();
    for (let day = 0; day < 80; day += 20) {
      detour.clock.advance(20 * 86_400_000);
      expect((await use()).statusCode).toBe(200);
    }
    const { expires_at } = (await use()).json();
    expect(Date.parse(expires_at)).toBe(Math.floor(signedInAt / 1_000) * 1_000 + 90 * 86_400_000);
    detour.clock.advance(10 * 86_400_000);
    expect((await use()).statusCode).toBe(401);
  });

  test.each(['', 'x', 'a'.repeat(5_000), '%00', '..'])('the token %# belongs to no user', async (token) => {
    const answer = await detour.call('GET', '/api/auth/session', { cookie: `detour.session-token=${token}` });
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('an API key does not open surface C', async () => {
    const { key } = await (await detour.account()).key();
    expect((await detour.call('GET', '/api/auth/session', { key })).statusCode).toBe(401);
  });
});

describe('POST /api/auth/password', () => {
  const change = (cookie: string, current_password: string, new_password: string) =>
    detour.call('POST', '/api/auth/password', { cookie, body: { current_password, new_password } });

  test('sets the password, ends the other sessions and gives this one a new token', async () => {
    const { email } = await detour.account();
    const [mine, other] = [await detour.cookieOf(email), await detour.cookieOf(email)];
    const answer = await change(mine, PASSWORD, 'another long one');
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: expect.any(String) }]);
    expect((await detour.call('GET', '/api/auth/session', { cookie: other })).statusCode).toBe(401);
    expect((await detour.call('GET', '/api/auth/session', { cookie: mine })).statusCode).toBe(401);
    const renewed = cookieFrom(answer);
    expect((await detour.call('GET', '/api/auth/session', { cookie: renewed })).statusCode).toBe(200);
    expect((await signIn(email, PASSWORD)).statusCode).toBe(401);
    expect((await signIn(email, 'another long one')).statusCode).toBe(200);
  });

  test('a wrong current password or a new one that is too short is 422 and changes nothing', async () => {
    const { email } = await detour.account();
    const cookie = await detour.cookieOf(email);
    const wrong = await change(cookie, 'not the password', 'another long one');
    expect([wrong.statusCode, wrong.json().issues[0].path]).toEqual([422, 'current_password']);
    const short = await change(cookie, PASSWORD, 'short');
    expect([short.statusCode, short.json().issues[0].path]).toEqual([422, 'new_password']);
    expect((await signIn(email, PASSWORD)).statusCode).toBe(200);
  });

  test('makes the other devices of the user unknown; this one gets a new token', async () => {
    const { email } = await detour.account();
    const from = (password: string, cookie?: string) => signInFrom('203.0.110.9', { email, password }, cookie);
    const [first, other] = [await from(PASSWORD), await from(PASSWORD)];
    const answer = await change(cookieFrom(first), PASSWORD, 'another long one');
    for (let i = 0; i < 10; i++) await from('wrong password');
    for (const former of [first, other])
      expect((await from('another long one', deviceFrom(former))).statusCode).toBe(429);
    expect((await from('another long one', deviceFrom(answer))).statusCode).toBe(200);
  });

  test('guessing the current password with a stolen session is throttled like a sign-in', async () => {
    const { email } = await detour.account();
    const cookie = await detour.cookieOf(email);
    for (let i = 0; i < 10; i++)
      expect((await change(cookie, `guess number ${i}`, 'another long one')).statusCode).toBe(422);
    expect((await change(cookie, PASSWORD, 'another long one')).statusCode).toBe(429);
  });
});

describe('POST /api/auth/confirm', () => {
  const HALF_HOUR = 30 * 60_000;
  const confirm = (cookie: string, password: string) =>
    detour.call('POST', '/api/auth/confirm', { cookie, body: { password } });
  const createKey = (cookie: string) => detour.call('POST', '/api/keys', { cookie, body: { name: 'k' } });

  test('sensitive changes need a sign-in of the last 30 minutes, or the password again', async () => {
    const { email } = await detour.account();
    const [cookie, other] = [await detour.cookieOf(email), await detour.cookieOf(email)];
    detour.clock.advance(HALF_HOUR - 1_000);
    expect((await createKey(cookie)).statusCode).toBe(201);
    detour.clock.advance(1_000);
    const refused = await createKey(cookie);
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'CONFIRM_PASSWORD']);
    expect((await detour.call('GET', '/api/keys', { cookie })).json().api_keys).toHaveLength(1);

    const confirmed = await confirm(cookie, PASSWORD);
    expect([confirmed.statusCode, confirmed.json()]).toEqual([200, { message: expect.any(String) }]);
    detour.clock.advance(HALF_HOUR - 1_000);
    expect((await createKey(cookie)).statusCode).toBe(201);
    expect((await createKey(other)).json().code).toBe('CONFIRM_PASSWORD');
    detour.clock.advance(1_000);
    expect((await createKey(cookie)).json().code).toBe('CONFIRM_PASSWORD');
  });

  test('a wrong password is 422, confirms nothing, and is throttled per session', async () => {
    const { email } = await detour.account();
    const [cookie, other] = [await detour.cookieOf(email), await detour.cookieOf(email)];
    detour.clock.advance(HALF_HOUR);
    for (let i = 0; i < 10; i++) {
      const wrong = await confirm(cookie, `guess number ${i}`);
      expect([wrong.statusCode, wrong.json().issues[0].path]).toEqual([422, 'password']);
    }
    const throttled = await confirm(cookie, PASSWORD);
    expect([throttled.statusCode, throttled.headers['retry-after']]).toEqual([429, '900']);
    expect((await createKey(cookie)).json().code).toBe('CONFIRM_PASSWORD');
    expect((await confirm(other, PASSWORD)).statusCode).toBe(200);
  });

  test('it guards the changes of users, keys and webhook secrets, and no call with an API key', async () => {
    const guarded = detour.app.routeTable
      .filter((route) => route.config.confirm)
      .map((route) => `${route.method} ${route.url}`);
    expect(guarded.toSorted()).toEqual([
      'DELETE /api/invitations/:id',
      'DELETE /api/keys/:id',
      'DELETE /api/users/:id',
      'PATCH /api/keys/:id',
      'POST /api/auth/totp',
      'POST /api/auth/totp/confirm',
      'POST /api/invitations',
      'POST /api/keys',
      'POST /api/keys/:id/roll',
      'POST /api/users',
      'POST /api/users/:id/password-reset',
      'POST /api/webhooks',
      'POST /api/webhooks/:id/rotate-secret',
      'PUT /api/users/:id',
      'PUT /api/v1/users/:id/websites',
    ]);
    const owner = await detour.account();
    const cookie = await detour.cookieOf(owner.email);
    const { key } = await owner.key();
    detour.clock.advance(HALF_HOUR);
    const rotate = '/api/webhooks/wh_x/rotate-secret';
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect((await detour.call('POST', rotate, { cookie, headers, body: {} })).json().code).toBe('CONFIRM_PASSWORD');
    expect((await detour.call('POST', rotate, { key, body: {} })).json().code).toBe('WEBHOOK_NOT_FOUND');
  });
});

describe('/api/auth/sessions', () => {
  test('lists the live sessions of the user, this one marked, and ends one at once', async () => {
    const owner = await detour.account();
    const mine = await detour.cookieOf(owner.email);
    const other = await detour.cookieOf(owner.email);
    const strangers = await detour.cookieOf((await owner.user('editor')).email);
    const list = (await detour.call('GET', '/api/auth/sessions', { cookie: mine })).json().sessions;
    expect(list).toHaveLength(2);
    expect(list.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
    expect(list[0]).toEqual({
      id: expect.stringMatching(/^ses_/),
      user_agent: expect.any(String),
      address: '127.0.0.1',
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      current: expect.any(Boolean),
    });
    const { id } = list.find((session: { current: boolean }) => !session.current);
    const foreign = await detour.call('DELETE', `/api/auth/sessions/${id}`, { cookie: strangers });
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'SESSION_NOT_FOUND']);
    expect((await detour.call('DELETE', `/api/auth/sessions/${id}`, { cookie: mine })).json()).toEqual({
      message: expect.any(String),
    });
    expect((await detour.call('GET', '/api/auth/session', { cookie: other })).statusCode).toBe(401);
    expect((await detour.call('DELETE', `/api/auth/sessions/${id}`, { cookie: mine })).statusCode).toBe(404);
  });
});
