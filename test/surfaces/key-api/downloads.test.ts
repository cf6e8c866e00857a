import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { rotateSecrets } from '../../../src/admin/rotate-secrets.ts';
import { purgeDownloads } from '../../../src/http/download-link.ts';
import { createSecretBox } from '../../../src/platform/secret-box.ts';
import { startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

let app: TestApp;
let owner: TestOwner;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp();
  owner = await app.account();
  cookie = await app.cookieOf(owner.email);
});
afterAll(() => app.close());

const PATH = '/api/v1/activity?limit=5';
const DASHBOARD = { 'x-detour-dashboard': '1' };

async function create(path = PATH, credential: object = { cookie, headers: DASHBOARD }) {
  const answer = await app.call('POST', '/api/v1/downloads', { ...credential, body: { path } });
  return { status: answer.statusCode, body: answer.json(), url: String(answer.json().download?.url) };
}
const download = (url: string, headers = {}) => app.call('GET', url, { headers });

test('a URL downloads what its caller receives, once, without headers', async () => {
  // Over plain HTTP a browser sends the cookie alone, which does not count.
  expect((await app.call('GET', PATH, { cookie })).statusCode).toBe(401);
  const { status, body, url } = await create();
  expect([status, body]).toEqual([
    201,
    { download: { url: `${PATH}&download_token=${url.slice(-43)}`, expires_at: expect.stringMatching(/Z$/) } },
  ]);
  const first = await download(url, { 'sec-fetch-site': 'cross-site' });
  expect([first.statusCode, first.json()]).toEqual([200, expect.objectContaining({ next_cursor: null })]);
  const second = await download(url);
  expect([second.statusCode, second.json().details]).toEqual([
    401,
    expect.stringMatching(/^download_token: .*expired/),
  ]);
});

test('a path without a query, of either surface, and an API key', async () => {
  const { url } = await create('/api/auth/session');
  expect(url).toMatch(/^\/api\/auth\/session\?download_token=[\w-]{43}$/);
  expect((await download(url)).json().user.email).toBe(owner.email);
  const { key } = await owner.key({ scope: 'read' });
  const ofKey = await create('/api/v1/websites', { key });
  expect((await download(ofKey.url)).statusCode).toBe(200);
});

test('a use that extends the session gives no cookie to the client', async () => {
  const extended = await app.cookieOf(owner.email);
  app.clock.advance(280_000);
  const { url } = await create('/api/v1/websites', { cookie: extended, headers: DASHBOARD });
  app.clock.advance(30_000);
  const answer = await download(url);
  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined]);
  const own = await app.call('GET', '/api/auth/session', { cookie: extended });
  expect(own.headers['set-cookie']).toBeUndefined();
});

test('it is refused for another path or method, after 60 s, and after the session has ended', async () => {
  const { url } = await create();
  const other = url.replace('limit=5', 'limit=6');
  expect((await download(other)).statusCode).toBe(401);
  expect((await app.call('DELETE', url)).statusCode).toBeGreaterThanOrEqual(401);
  expect((await download(`${url}&limit=1`)).statusCode).toBe(401);
  app.clock.advance(59_000);
  expect((await download(url)).statusCode).toBe(200);
  const late = await create();
  app.clock.advance(60_000);
  expect((await download(late.url)).statusCode).toBe(401);
  const leaving = await app.cookieOf(owner.email);
  const ended = await create(PATH, { cookie: leaving, headers: DASHBOARD });
  await app.call('POST', '/api/auth/sign-out', { cookie: leaving });
  expect((await download(ended.url)).statusCode).toBe(401);
});

test.each([
  ['https://elsewhere.example.com/api/v1/x', 'path: must be a path of this service'],
  ['//elsewhere.example.com', 'path: must be a path of this service'],
  ['/dashboard', 'path: must be a path of this service'],
  ['/api/v1/a b', 'path: must be a path of this service'],
  ['/api/v1/a#b', 'path: must have neither'],
  ['/api/v1/a?download_token=x', 'path: must have neither'],
])('the path %s is rejected', async (path, message) => {
  const { status, body } = await create(path);
  expect([status, body.details]).toEqual([422, expect.stringContaining(message)]);
});

test('its credential is sealed again by a rotation of secrets', async () => {
  const { url } = await create();
  const [ours, theirs] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  const rotate = (secretKey: Buffer, previousSecretKey: Buffer) =>
    rotateSecrets(app.database.db, createSecretBox({ secretKey, previousSecretKey }));
  expect(await rotate(theirs, ours)).toEqual({ rotated: expect.any(Number), unreadable: 0 });
  expect((await rotate(ours, theirs)).rotated).toBeGreaterThan(0);
  expect((await download(url)).statusCode).toBe(200);
});

test('an account has 100 unused URLs, the credential is sealed, and expired URLs are purged', async () => {
  app.clock.advance(60_000);
  const urls: string[] = [];
  for (let n = 0; n < 101; n++) {
    app.clock.advance(1);
    urls.push((await create()).url);
  }
  const rows = await app.database.db.execute(sql`select credential::text as credential from downloads`);
  expect(rows.rows).toHaveLength(100);
  const token = cookie.split('=').at(-1) ?? '';
  expect(JSON.stringify(rows.rows)).not.toContain(Buffer.from(token).toString('hex'));
  expect((await download(urls[0] ?? '')).statusCode).toBe(401);
  expect((await download(urls[1] ?? '')).statusCode).toBe(200);
  app.clock.advance(60_000);
  await purgeDownloads(app.database.db, app.clock.now());
  expect((await app.database.db.execute(sql`select from downloads`)).rows).toEqual([]);
});
