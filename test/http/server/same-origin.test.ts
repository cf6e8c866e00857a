import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

const PUBLIC_URL = 'https://detour.example';
const HOST = 'internal.example:8080';

let detour: TestApp;
let cookie: string;
let key: string;
beforeAll(async () => {
  detour = await startTestApp({ env: { PUBLIC_URL } });
  const owner = await detour.account();
  cookie = await detour.cookieOf(owner.email);
  ({ key } = await owner.key());
});
afterAll(() => detour.close());

const write = async (headers: Record<string, string>) => {
  const answer = await detour.call('POST', '/api/keys', {
    cookie,
    body: { name: 'k' },
    headers: { host: HOST, ...headers },
  });
  return answer.statusCode === 201 ? 'taken' : answer.json<{ code: string }>().code;
};

const OTHER = 'https://evil.example';
describe('a write with the session cookie', () => {
  test.each([
    ['no browser', {}, 'taken'],
    ['same-origin', { 'sec-fetch-site': 'same-origin' }, 'taken'],
    ['same-origin wins over a strange Origin', { 'sec-fetch-site': 'same-origin', origin: OTHER }, 'taken'],
    ['typed by the user', { 'sec-fetch-site': 'none' }, 'taken'],
    ['same-site', { 'sec-fetch-site': 'same-site' }, 'CROSS_ORIGIN'],
    [
      'same-site, Origin of a sibling',
      { 'sec-fetch-site': 'same-site', origin: 'https://blog.detour.example' },
      'CROSS_ORIGIN',
    ],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }, 'CROSS_ORIGIN'],
    ['cross-site, Origin of another', { 'sec-fetch-site': 'cross-site', origin: OTHER }, 'CROSS_ORIGIN'],
    ['cross-site, Origin null', { 'sec-fetch-site': 'cross-site', origin: 'null' }, 'CROSS_ORIGIN'],
    ['cross-site, Origin PUBLIC_URL', { 'sec-fetch-site': 'cross-site', origin: PUBLIC_URL }, 'CROSS_ORIGIN'],
    ['unknown fetch metadata', { 'sec-fetch-site': 'something' }, 'CROSS_ORIGIN'],
    ['same-site, Origin PUBLIC_URL', { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL }, 'CROSS_ORIGIN'],
    ['Origin is the host over plain http', { origin: `http://${HOST}` }, 'CROSS_ORIGIN'],
    ['Origin is the host over https', { origin: `https://${HOST}` }, 'taken'],
    ['Origin is PUBLIC_URL', { origin: PUBLIC_URL }, 'taken'],
    ['Origin is PUBLIC_URL without its scheme', { origin: 'http://detour.example' }, 'CROSS_ORIGIN'],
    ['Origin is the host on another port', { origin: 'http://internal.example:9090' }, 'CROSS_ORIGIN'],
    ['Origin is another', { origin: OTHER }, 'CROSS_ORIGIN'],
    ['Origin only begins like PUBLIC_URL', { origin: `${PUBLIC_URL}.evil.example` }, 'CROSS_ORIGIN'],
    ['Origin null', { origin: 'null' }, 'CROSS_ORIGIN'],
    ['Origin empty', { origin: '' }, 'CROSS_ORIGIN'],
  ])('%s', async (_what, headers: Record<string, string>, expected) => {
    expect(await write(headers)).toBe(expected);
  });

  test('that is rejected changes nothing and carries the rate-limit headers', async () => {
    const count = async () => (await detour.call('GET', '/api/keys', { cookie })).json().api_keys.length;
    const before = await count();
    const answer = await detour.call('POST', '/api/keys', {
      cookie,
      body: { name: 'k' },
      headers: { origin: OTHER },
    });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers).toHaveProperty('x-ratelimit-limit', '20000');
    expect(await count()).toBe(before);
  });
});

describe('below /api/v1, the session cookie with X-Detour-Dashboard', () => {
  const header = { host: HOST, 'x-detour-dashboard': '1' };
  test.each([
    ['counts without fetch metadata', {}, 201],
    ['counts with the Origin of the service', { origin: PUBLIC_URL }, 201],
    ['is 403 with another Origin', { origin: OTHER }, 403],
    ['is 401 from the same site', { 'sec-fetch-site': 'same-site' }, 401],
    ['is 401 from another site', { 'sec-fetch-site': 'cross-site' }, 401],
    ['is 401 if the user typed the address', { 'sec-fetch-site': 'none' }, 401],
    ['is 401 with another value', { 'x-detour-dashboard': 'true' }, 401],
  ])('%s', async (_what, headers: Record<string, string>, status) => {
    const sent = { cookie, headers: { ...header, ...headers } };
    const write = await detour.call('POST', '/api/v1/websites', { ...sent, body: { name: 'w' } });
    expect(write.statusCode).toBe(status);
    const read = await detour.call('GET', '/api/v1/websites', sent);
    expect(read.statusCode).toBe(status === 201 ? 200 : status);
  });
});

test('reading is not rejected wherever it comes from', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: OTHER };
  expect((await detour.call('GET', '/api/account', { cookie, headers })).statusCode).toBe(200);
});

test('a key is no cookie: another origin may use it, and reaches a 404 rather than a 403', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: OTHER };
  expect((await detour.call('POST', '/api/v1/nothing', { key, headers })).statusCode).toBe(404);
});

test('behind a trusted proxy the host is the one that the browser asked for', async () => {
  const proxied = await startTestApp({ env: { PUBLIC_URL, TRUST_PROXY: '1' } });
  const owner = await proxied.account();
  const headers = { host: HOST, 'x-forwarded-host': 'alias.example', origin: 'https://alias.example' };
  const answer = await proxied.call('POST', '/api/keys', {
    cookie: await proxied.cookieOf(owner.email),
    body: { name: 'k' },
    headers,
  });
  expect(answer.statusCode).toBe(201);
  expect(await write(headers)).toBe('CROSS_ORIGIN');
  await proxied.close();
});

test('over plain http, a page of the same host may write; if a proxy says https, only over https', async () => {
  const plain = await startTestApp({ env: { PUBLIC_URL: 'http://localhost:3000', TRUST_PROXY: '1' } });
  const session = await plain.cookieOf((await plain.account()).email);
  const send = async (headers: Record<string, string>) =>
    (
      await plain.call('POST', '/api/keys', {
        cookie: session,
        body: { name: 'k' },
        headers: { host: HOST, ...headers },
      })
    ).statusCode;
  const proxied = { 'x-forwarded-proto': 'https' };
  expect(await send({ origin: `http://${HOST}` })).toBe(201);
  expect(await send({ origin: `https://${HOST}` })).toBe(403);
  expect(await send({ ...proxied, origin: `http://${HOST}` })).toBe(403);
  expect(await send({ ...proxied, origin: `https://${HOST}` })).toBe(201);
  await plain.close();
});
