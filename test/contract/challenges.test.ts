/** The challenge of every 401 (RFC 9110, 15.5.2), on every route that needs a credential. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audienceOf } from '../../src/surfaces/docs/route-errors.ts';
import { type Method, startTestApp, type TestApp } from '../support/app.ts';

const SESSION = 'Cookie realm="Detour"';
const BEARER = 'Bearer realm="Detour"';

let detour: TestApp;
beforeAll(async () => {
  detour = await startTestApp();
});
afterAll(() => detour.close());

async function challenge(method: string, url: string, key?: string): Promise<unknown[]> {
  // Requests without credentials count for their address.
  detour.clock.advance(60_000);
  const { statusCode, headers } = await detour.call(method as Method, url, key === undefined ? {} : { key });
  return [method, url, statusCode, headers['www-authenticate']];
}

test('a route without a credential names the one that it takes, feeds included', async () => {
  const guarded = detour.app.routeTable.filter((route) => audienceOf(route) !== 'service' && !route.config.public);
  expect(guarded.map(({ url }) => url)).toContain('/api/v1/feeds/:website_id/:environment');
  const found: unknown[] = [];
  for (const { method, url } of guarded) found.push(await challenge(method, url.replaceAll(/:\w+/g, '1')));
  expect(found).toEqual(
    guarded.map((route) => [
      route.method,
      route.url.replaceAll(/:\w+/g, '1'),
      401,
      audienceOf(route) === 'key' ? BEARER : SESSION,
    ]),
  );
});

test('a rejected key is named, and a wrong password is no key', async () => {
  const rejected = `${BEARER}, error="invalid_token"`;
  expect(await challenge('GET', '/api/v1/feeds/1/production', 'dtr_wrong')).toContain(rejected);
  expect(await challenge('GET', '/v1/analytics/overview', 'dtr_wrong')).toContain(rejected);
  const body = { email: 'no@example.com', password: 'not the password' };
  const { statusCode, headers } = await detour.call('POST', '/api/auth/sign-in', { body });
  expect([statusCode, headers['www-authenticate']]).toEqual([401, SESSION]);
});

test('an unknown path has no challenge', async () => {
  expect(await challenge('GET', '/api/v1/nothing')).toEqual(['GET', '/api/v1/nothing', 404, undefined]);
});
