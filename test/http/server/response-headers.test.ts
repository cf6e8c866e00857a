/** Headers of all responses, request ids, and what a 401 says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let plain: TestApp;
let secure: TestApp;
let cookie: string;
let key: string;
beforeAll(async () => {
  plain = await startTestApp();
  secure = await startTestApp({
    database: plain.database,
    env: { PUBLIC_URL: 'https://detour.example', TRUST_PROXY: '10.0.0.0/8', COOKIE_PREFIX: '__Host-detour' },
  });
  const owner = await plain.account();
  cookie = await plain.cookieOf(owner.email);
  ({ key } = await owner.key());
});
afterAll(async () => {
  await secure.close();
  await plain.close();
});

test.each(['/health', '/docs', '/api/websites', '/api/nothing', '/%zz'])(
  '%s has the security headers',
  async (path) => {
    const [{ headers }, other] = [await secure.call('GET', path), await plain.call('GET', path)];
    expect(headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(other.headers).not.toHaveProperty('strict-transport-security');
    expect(other.headers).toHaveProperty('cross-origin-resource-policy', 'same-origin');
  },
);

test('no response of the API is stored by a cache', async () => {
  const requests = [
    await plain.call('GET', '/api/account', { cookie }),
    await plain.call('GET', '/api/redirects', { cookie }),
    await plain.call('GET', '/api/v1/websites', { key }),
    await plain.call('GET', '/v1/analytics/overview', { key }),
    await plain.call('GET', '/api/nothing'),
    await plain.call('GET', '/api/%zz'),
  ];
  for (const { headers } of requests) expect(headers['cache-control']).toBe('no-store');
  expect((await plain.call('GET', '/docs')).headers['cache-control']).toBe('no-cache');
});

test('a cookie with the prefix __Host- is Secure, without Domain, for the whole host', async () => {
  const owner = await plain.account();
  const session = await secure.cookieOf(owner.email);
  expect(session).toMatch(/^__Host-detour\.session-token=/);
  const body = { email: owner.email, password: 'correct horse battery' };
  const set = String((await secure.call('POST', '/api/auth/sign-in', { body })).headers['set-cookie']);
  expect(set).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(set).not.toContain('Domain');
  expect((await secure.call('GET', '/api/auth/session', { cookie: session })).statusCode).toBe(200);
});

describe('the X-Request-Id of a request', () => {
  const idOf = async (app: TestApp, id: string, remoteAddress = '10.1.2.3') =>
    (await app.call('GET', '/health', { headers: { 'x-request-id': id }, remoteAddress })).headers['x-request-id'];

  test('is used if a trusted proxy sends it', async () => {
    expect(await idOf(secure, 'edge-7 f00')).toBe('edge-7 f00');
    expect(await idOf(secure, 'x'.repeat(100))).toBe('x'.repeat(100));
  });

  test('is ignored from any other client, and if it is long or not printable', async () => {
    expect(await idOf(plain, 'mine')).not.toBe('mine');
    expect(await idOf(secure, 'mine', '192.0.2.1')).not.toBe('mine');
    expect(await idOf(secure, 'x'.repeat(101))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf(secure, 'a\tb')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a 401 says which credential the path takes', () => {
  const of = async (path: string, sent: { cookie?: string; key?: string }) => {
    const { statusCode, headers, body } = await plain.call('GET', path, sent);
    expect(statusCode).toBe(401);
    return { details: String(JSON.parse(body).details), challenge: headers['www-authenticate'] };
  };

  test('a path of sessions', async () => {
    const none = await of('/api/redirects', {});
    expect(none).toEqual({
      details: expect.stringContaining('takes the session cookie'),
      challenge: 'Cookie realm="Detour"',
    });
    expect((await of('/api/redirects', { key })).details).toContain('not an API key');
    expect((await of('/api/redirects', { cookie: 'detour.session-token=x' })).details).toContain('has ended');
  });

  test('a path of keys', async () => {
    const none = await of('/api/v1/websites', {});
    expect(none).toEqual({ details: expect.stringContaining('takes an API key'), challenge: 'Bearer realm="Detour"' });
    expect((await of('/api/v1/websites', { cookie })).details).toContain('only from pages of this service');
    expect((await of('/api/v1/websites', { key: 'dtr_wrong' })).details).toContain('unknown, revoked or expired');
  });
});
