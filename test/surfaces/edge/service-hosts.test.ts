/**
 * Hosts of the service itself: no website can take them, and other unknown hosts do not reach the API. Holds the rules
 * of src/surfaces/edge/misdirected.ts.
 */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { startDetour } from '../../../src/start.ts';
import { createRedirectServer } from '../../../src/start/redirect-server.ts';
import { openPort, stopRedirects } from '../../../src/start/serve-redirects.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { createSite } from '../../support/site.ts';

const NEW_HOST = 'detour.example.com';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour({ RESERVED_HOSTS: 'alias.example' });
  owner = await detour.account();
});
afterAll(() => detour.stop());

const misdirected = (host: string) => ({
  error: 'This process does not serve this host',
  details: expect.stringMatching(`^${host}: .*RESERVED_HOSTS`),
  code: 'MISDIRECTED_REQUEST',
  timestamp: expect.any(String),
});

test.each(['localhost', 'alias.example', 'ALIAS.example.'])('a website cannot have the host %s', async (hostname) => {
  const { status, body } = await owner.call('POST', '/api/websites', {
    name: 'Taker',
    hosts: [{ hostname, environment: 'production' }],
  });
  expect([status, body.issues[0].path]).toEqual([422, 'hosts[0].hostname']);
  expect(body.details).toContain('is a host of this service');
});

test('a host that a website had before it became the service’s reaches the service after the restart', async () => {
  const fallback = { fallback_url: 'https://phish.example' };
  const id = await createSite(owner, [NEW_HOST, '*.example.com', 'second-name.example', 'shop.example.com'], fallback);
  expect((await detour.visit(NEW_HOST, '/')).location).toBe('https://phish.example/');

  const lines: string[] = [];
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: detour.url,
    PUBLIC_URL: `https://${NEW_HOST}`,
    RESERVED_HOSTS: 'second-name.example',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
  });
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const restarted = await startDetour({ config, databaseUrl: detour.url, clock: systemClock, log });
  try {
    const visit = (host: string, path: string, method?: string) =>
      visitAt(restarted.address, host, path, method ? { method } : {});
    expect((await visit(NEW_HOST, '/docs')).headers['content-type']).toContain('text/html');
    expect(await visit(NEW_HOST, '/api/auth/session')).toMatchObject({ status: 401, location: undefined });
    expect(await visit(NEW_HOST, '/api/auth/sign-in', 'POST')).toMatchObject({ status: 400, location: undefined });
    expect(await visit('second-name.example', '/api/auth/session')).toMatchObject({ status: 401 });
    expect((await visit('shop.example.com', '/')).location).toBe('https://phish.example/');
  } finally {
    await restarted.stop();
  }
  const clashes = lines.map((line) => JSON.parse(line)).filter(({ hostname }) => hostname !== undefined);
  expect(clashes.map(({ websiteId, hostname, reserved }) => [websiteId, hostname, reserved]).toSorted()).toEqual([
    [id, '*.example.com', NEW_HOST],
    [id, NEW_HOST, NEW_HOST],
    [id, 'second-name.example', 'second-name.example'],
  ]);
  const messageOf = (name: string): string => clashes.find(({ hostname }) => hostname === name)?.msg;
  expect(messageOf(NEW_HOST)).toContain('remove it from the hosts of the website');
  expect(messageOf('*.example.com')).toContain('contains a host of the service');
});

describe('a host of no website', () => {
  test.each(['GET /', 'GET /api/websites', 'POST /api/auth/sign-in', 'GET /metrics', 'GET /docs'])(
    'gets 421 for %s',
    async (line) => {
      const [method = '', path = ''] = line.split(' ');
      const answer = await detour.visit('evil.example', path, { method });
      expect(answer.status).toBe(421);
      expect(answer.headers['x-request-id']).toEqual(expect.any(String));
      expect(JSON.parse(answer.body)).toEqual(misdirected('evil.example'));
    },
  );

  test.each(['/health', '/ready?for=api'])('gets %s, for load balancers', async (path) => {
    expect((await detour.visit('evil.example', path)).status).toBe(200);
  });

  test.each(['localhost:3000', 'alias.example', '10.0.0.9', '[::1]:80', 'detour', 'x.internal'])(
    'gets the API as %s',
    async (host) => {
      expect((await detour.visit(host, '/api/websites')).status).toBe(401);
    },
  );

  test('that a website had gets 421 after its deletion', async () => {
    const id = await createSite(owner, ['gone.example']);
    expect((await detour.visit('gone.example', '/')).status).toBe(404);
    await owner.call('DELETE', `/api/websites/${id}`);
    expect((await detour.visit('gone.example', '/')).status).toBe(421);
  });

  test('gets 421 while the API loads, and 503 until the hosts of websites are known', async () => {
    const config = loadConfig({ PORT: '0', SNAPSHOTS: 'off' });
    const options = { config, clock: systemClock, log: pino({ level: 'silent' }) };
    const redirects = createRedirectServer(options);
    const address = await openPort(redirects, config);
    const statusOf = async (host: string) => (await visitAt(address, host, '/api/websites')).status;
    const askFor = async (query: string) => (await visitAt(address, 'detour:3000', `/api/tls/ask${query}`)).status;
    const asked = async () => [await askFor('?domain=localhost'), await askFor('?domain=a.example'), await askFor('')];
    try {
      expect([await statusOf('evil.example'), await statusOf('localhost')]).toEqual([503, 503]);
      expect(await asked()).toEqual([200, 503, 400]);
      redirects.state.rulesets = 'current';
      expect([await statusOf('evil.example'), await statusOf('localhost')]).toEqual([421, 503]);
      expect(await asked()).toEqual([200, 404, 400]);
    } finally {
      await stopRedirects(redirects, options);
    }
  });
});
