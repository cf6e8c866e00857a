import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cookies from '@fastify/cookie';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { sessionCookie } from '../../../src/http/cookies.ts';
import { collectRoutes } from '../../../src/http/route-table.ts';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { commandPackage, dashboard, PAGES, readDashboardPage } from '../../../src/surfaces/dashboard/plugin.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))})`;
const dir = mkdtempSync(join(tmpdir(), 'detour-pages-'));
const apps: ReturnType<typeof Fastify>[] = [];

async function serve(from: string, env: Record<string, string> = {}) {
  const app = Fastify();
  collectRoutes(app);
  await app.register(cookies);
  const config = loadConfig(env);
  const cookie = sessionCookie(config.cookiePrefix, config.publicUrl);
  const page = await readDashboardPage({ config, cookie }, from);
  setErrorHandlers(app, systemClock, page.sendNotFound);
  await app.register((scope) => dashboard(scope, page, from));
  apps.push(app);
  return app;
}

beforeAll(() => {
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), '<!doctype html><meta name="detour" content="{}" /><title>Detour</title>');
  writeFileSync(join(dir, 'assets', 'main-abcd1234.js'), SCRIPT);
});
afterAll(async () => {
  for (const app of apps) await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';

test.each([
  ['a browser', { accept: HTML }, 'GET', 404, 'text/html; charset=utf-8'],
  ['a program', { accept: '*/*' }, 'GET', 404, 'application/json; charset=utf-8'],
  ['a form of a browser', { accept: HTML }, 'POST', 404, 'application/json; charset=utf-8'],
] as const)('an unknown path is a 404 for %s', async (_, headers, method, status, type) => {
  const app = await serve(dir);
  const response = await app.inject({ method, url: '/no/such/page', headers });
  expect([response.statusCode, response.headers['content-type']]).toEqual([status, type]);
  expect(response.body).toContain(type.startsWith('text/html') ? '<title>Detour</title>' : '"code":"NOT_FOUND"');
});

test('a wrong method on a page is a 405 also for a browser', async () => {
  const response = await (await serve(dir)).inject({ method: 'POST', url: '/websites', headers: { accept: HTML } });
  expect([response.statusCode, response.json().code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
});

describe('a page', () => {
  test.each(PAGES.map((page) => page.replace('*', '7/anything')))(
    '%s responds with the page, revalidated each time, with a strict policy',
    async (url) => {
      const { statusCode, headers, body } = await (await serve(dir)).inject({ url });
      expect([statusCode, headers['cache-control'], headers['content-type']]).toEqual([
        200,
        'no-cache',
        'text/html; charset=utf-8',
      ]);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|data:|https?:/);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(body).toContain('<title>Detour</title>');
    },
  );

  test('the page contains only the settings that its scripts need', async () => {
    const own = await (await serve(dir)).inject({ url: '/' });
    expect(own.body).toContain(
      'content="{&quot;takesSignUps&quot;:false,&quot;isEmbedded&quot;:true,&quot;sendsMail&quot;:false,&quot;host&quot;:&quot;localhost&quot;,&quot;hasSession&quot;:false}"',
    );
    const open = await serve(dir, {
      SIGN_UP: 'open',
      DATABASE_URL: 'postgres://u:secret@h/d',
      PUBLIC_URL: 'https://x.example',
      SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    });
    expect((await open.inject({ url: '/' })).body).toContain(
      'content="{&quot;takesSignUps&quot;:true,&quot;isEmbedded&quot;:false,&quot;sendsMail&quot;:false,&quot;host&quot;:&quot;x.example&quot;,&quot;hasSession&quot;:false}"',
    );
  });

  test('the page says whether the request had a session cookie, and caches keep both apart', async () => {
    const app = await serve(dir);
    const anonymous = await app.inject({ url: '/sign-in' });
    const headers = { cookie: 'detour.session-token=x', 'if-none-match': String(anonymous.headers.etag) };
    const signedIn = await app.inject({ url: '/sign-in', headers });
    expect([signedIn.statusCode, signedIn.headers.vary]).toEqual([200, 'Accept-Encoding, Cookie']);
    expect(signedIn.body).toContain('&quot;hasSession&quot;:true');
  });

  test('a cached page is not sent again', async () => {
    const app = await serve(dir);
    const { headers } = await app.inject({ url: '/' });
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('without a build, pages respond with 503 and the build command', async () => {
    const { statusCode, body } = await (await serve(join(dir, 'nowhere'))).inject({ url: '/' });
    expect([statusCode, body]).toEqual([503, expect.stringContaining('npm run build')]);
  });
});

describe('an asset', () => {
  test('an asset is cached for a year, and compressed if the client accepts gzip', async () => {
    const app = await serve(dir);
    const plain = await app.inject({ url: '/assets/main-abcd1234.js' });
    expect([plain.statusCode, plain.body, plain.headers['content-encoding']]).toEqual([200, SCRIPT, undefined]);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const small = await app.inject({
      url: '/assets/main-abcd1234.js',
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(small.rawPayload.length).toBeLessThan(200);
  });

  test.each([
    '/assets/other.js',
    '/assets/..%2findex.html',
    '/assets//x',
    '/assets/%2e%2e/x',
    '/assets/a%5Cb',
    '/assets/%00',
    '/assets/',
    '/index.html',
    '/websites.js',
  ])('%s is a 404 in JSON', async (url) => {
    const { statusCode, headers } = await (await serve(dir)).inject({ url });
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });
});

test('the package of the commands is served as it was packed, or says how to build it', async () => {
  const file = join(dir, 'detour.tgz');
  writeFileSync(file, 'packed');
  const app = Fastify();
  apps.push(app);
  await app.register((scope) => commandPackage(scope, file));
  const { statusCode, headers, body } = await app.inject({ url: '/detour.tgz' });
  expect([statusCode, headers['content-type'], headers['cache-control'], body]).toEqual([
    ...[200, 'application/gzip', 'no-cache', 'packed'],
  ]);
  const again = await app.inject({ url: '/detour.tgz', headers: { 'if-none-match': String(headers.etag) } });
  expect(again.statusCode).toBe(304);
  const without = Fastify();
  apps.push(without);
  await without.register((scope) => commandPackage(scope, join(dir, 'none.tgz')));
  const missing = await without.inject({ url: '/detour.tgz' });
  expect([missing.statusCode, missing.body]).toEqual([503, expect.stringContaining('npm run build')]);
});
