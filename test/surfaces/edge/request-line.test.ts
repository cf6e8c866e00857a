/** How the request line and the Host select a rule. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { rawRequest } from './raw-request.ts';

const HOST = 'www.lines.example';

let detour: TestDetour;
let owner: TestAccount;

const at = (target: string, host = HOST) => rawRequest(detour.address, [`GET ${target} HTTP/1.1`, `Host: ${host}`]);

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  const site = await createSite(owner, [
    HOST,
    'xn--mnchen-3ya.example',
    { hostname: 'staging.lines.example', environment: 'staging' },
  ]);
  await addRedirect(owner, site, { old_path: '/old', new_path: '/new' });
  await addRedirect(owner, site, { old_path: '/', new_path: '/home' });
  await addRedirect(owner, site, { old_path: '/api/redirects', new_path: '/not-the-api' });
  await addRedirect(owner, site, { old_path: '/health', new_path: '/not-the-health' });
  await addRedirect(owner, site, { old_path: '/grüße', new_path: '/größe?ä=ö' });
  await addRedirect(owner, site, { old_path: '/a b', new_path: '/with space' });
  await addRedirect(owner, site, { old_path: '/x//y', new_path: '/double' });
  await settled(owner, site);
});

afterAll(() => detour.stop());

describe('the host', () => {
  test.each([
    HOST,
    'WWW.Lines.EXAMPLE',
    'www.lines.example.',
    'www.lines.example:8080',
    'www.lines.example.:443',
    'xn--mnchen-3ya.example',
  ])('%s is the website', async (host) => {
    expect((await at('/old', host)).headers.get('location')).toBe('/new');
  });

  test.each(['staging.lines.example', 'lines.example', 'www.lines.example.evil.com', 'wwwXlines.example', '127.0.0.1'])(
    '%s does not answer with the rules of production',
    async (host) => {
      expect((await at('/old', host)).status).toBe(host === '127.0.0.1' || host.startsWith('staging') ? 404 : 421);
    },
  );

  test('a host without a dot gets the service itself', async () => {
    const answer = await at('/health', 'unknown');
    expect([answer.status, answer.headers.get('location')]).toEqual([200, undefined]);
    expect((await at('/api/redirects', 'unknown')).status).toBe(401);
  });

  test('a website answers before any API route', async () => {
    expect((await at('/api/redirects')).headers.get('location')).toBe('/not-the-api');
    expect((await at('/health')).headers.get('location')).toBe('/not-the-health');
    expect((await at('/api/v1/websites')).headers.has('x-ratelimit-limit')).toBe(false);
  });

  test('a host of an environment without deployments has no redirects', async () => {
    const answer = await at('/old', 'staging.lines.example');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-cache']);
  });

  test('HTTP/1.0 without Host is a request to the service itself', async () => {
    expect((await rawRequest(detour.address, ['GET /health HTTP/1.0'])).status).toBe(200);
  });

  test('HTTP/1.0 with Host is a request to the website', async () => {
    const answer = await rawRequest(detour.address, ['GET /old HTTP/1.0', `Host: ${HOST}`]);
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '/new']);
  });

  test('HTTP/1.1 without Host is rejected', async () => {
    expect((await rawRequest(detour.address, ['GET /old HTTP/1.1'])).status).toBe(400);
  });

  test('two Host headers that differ are rejected', async () => {
    const answer = await rawRequest(detour.address, ['GET /old HTTP/1.1', `Host: ${HOST}`, 'Host: unknown.example']);
    expect(answer.status).toBe(400);
  });
});

describe('the target', () => {
  test.each([
    ['/old', '/new'],
    ['/old?', '/new'],
    ['/old?x=1&y=%20', '/new?x=1&y=%20'],
    ['/old/', '/new'],
    ['/./a/../old', '/new'],
    ['/%6f%6C%64', '/new'],
    ['/', '/home'],
    [`http://${HOST}/old`, '/new'],
    [`HTTP://${HOST.toUpperCase()}:80/old?q=1`, '/new?q=1'],
    [`http://user:pass@${HOST}/old`, '/new'],
    [`http://${HOST}`, '/home'],
    [`http://${HOST}?q=1`, '/home?q=1'],
    ['/gr%C3%BC%C3%9Fe', '/gr%C3%B6%C3%9Fe?%C3%A4=%C3%B6'],
    ['/gr%c3%bc%c3%9fe', '/gr%C3%B6%C3%9Fe?%C3%A4=%C3%B6'],
    ['/a%20b', '/with%20space'],
    ['/x//y', '/double'],
  ])('%s leads to %s', async (target, location) => {
    const answer = await at(target);
    expect([answer.status, answer.headers.get('location')]).toEqual([301, location]);
  });

  test('bytes outside ASCII, which HTTP does not allow there, are rejected with a clear answer', async () => {
    const target = Buffer.from('/grüße').toString('latin1');
    for (const sent of [target, `${target}?x=1`, '/old?x=\xfc', '/\xff\xfe']) {
      const answer = await at(sent);
      expect([sent, answer.status, JSON.parse(answer.body).code]).toEqual([sent, 400, 'INVALID_PARAMETER']);
    }
  });

  test('escapes that are no UTF-8 match nothing and break nothing', async () => {
    expect((await at('/%ff%c3')).status).toBe(404);
    expect((await at('/old?x=%ff')).headers.get('location')).toBe('/new?x=%ff');
  });

  test.each(['/OLD', '/ol%2564', '/old%2F', '/old%3Fx', '/x/y', '/olds', '//old', '/old//'])(
    '%s is another path',
    async (target) => {
      expect((await at(target)).status).toBe(404);
    },
  );

  test('the host of an absolute-form target counts, not that of the header', async () => {
    const inside = await at(`http://${HOST}/old`, 'unknown.example');
    expect(inside.headers.get('location')).toBe('/new');
    const outside = await at('http://unknown.example/health');
    expect([outside.status, outside.headers.get('location')]).toEqual([200, undefined]);
  });

  test('OPTIONS * names no path: 404', async () => {
    const answer = await rawRequest(detour.address, ['OPTIONS * HTTP/1.1', `Host: ${HOST}`]);
    expect([answer.status, answer.headers.get('location')]).toEqual([404, undefined]);
  });

  test.each([8_193, 40_000])('a path of %i bytes is 414', async (length) => {
    const answer = await at(`/${'a'.repeat(length - 1)}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([414, 'no-cache']);
  });

  test('a path of 8,192 bytes is looked up, and a long query is no long path', async () => {
    expect((await at(`/${'a'.repeat(8_191)}`)).status).toBe(404);
    const query = 'q='.padEnd(40_000, 'x');
    expect((await at(`/old?${query}`)).headers.get('location')).toBe(`/new?${query}`);
  });

  test('a head over 64 KiB is rejected with a clear answer, and the next request is answered', async () => {
    expect((await at(`/old?${'x'.repeat(70_000)}`)).status).toBe(431);
    expect((await at('/old')).status).toBe(301);
  });
});
