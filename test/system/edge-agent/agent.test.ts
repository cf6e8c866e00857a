/** A real agent process that follows a real service: it goes on while the service is away, and catches up. */
import { watch } from 'node:fs';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNonces } from '../../../src/checks/credentials.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { freePort } from '../../../src/platform/postgres/server.ts';
import { type Detour, startDetour } from '../../../src/start.ts';
import { NONCE_HEADER } from '../../../src/vocabulary/checks.ts';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../../support/agent-process.ts';
import { type EdgeAnswer, startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { inSoak } from '../../support/soak.ts';
import { until } from '../../support/wait.ts';

const SHOP = 'shop.example';
const BLOG = 'staging.blog.example';
/** An idle machine needs far less. */
const CATCH_UP_MS = 60_000;

/** Always there: edits go through it. */
let other: TestDetour;
let owner: TestAccount;
/** The service that the agent follows, on a port that stays the same. */
let service: Detour | undefined;
let port: number;
let folder: AgentFolder;
let agent: AgentProcess;
let shop: number;
let blog: number;
let edited: number;

async function startService(): Promise<void> {
  const config = loadConfig({
    PORT: String(port),
    DATABASE_URL: other.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
  });
  service = await startDetour({
    config,
    databaseUrl: other.url,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
}

async function stopService(): Promise<void> {
  await service?.stop();
  service = undefined;
}

function startAgent(): Promise<AgentProcess> {
  const websites = ['--website', SHOP, '--website', `${blog}:staging`];
  const env = { DETOUR_URL: `http://127.0.0.1:${port}`, DETOUR_API_KEY: owner.key };
  return folder.start([...websites, '--name', 'test-agent', '--trust-proxy', '1'], env);
}

/** The address that serves `host` at the agent. */
const agentLocation = async (path: string, host = SHOP): Promise<string | undefined> =>
  (await visitAt(agent.address, host, path)).location;

async function health(): Promise<{ source: string; problem: string | null }[]> {
  return JSON.parse(await (await fetch(`${agent.adminAddress}/health`)).text()).websites;
}

async function edit(target: string): Promise<void> {
  expect((await owner.call('PUT', `/api/redirects/${edited}`, { new_path: target })).status).toBe(200);
}

beforeAll(async () => {
  other = await startTestDetour();
  owner = await other.account();
  port = await freePort('127.0.0.1');
  folder = openAgentFolder();
  shop = await createSite(owner, [], {
    hosts: [
      ...[SHOP, 'www.shop.example', '*.wild.example'].map((hostname) => ({ hostname, environment: 'production' })),
      { hostname: 'old.example', environment: 'production', redirect_to: { url: 'https://new.example/base' } },
    ],
    allowed_target_hosts: ['other.example'],
  });
  blog = await createSite(owner, [{ hostname: BLOG, environment: 'staging' }], {
    fallback_url: 'https://fallback.example/base',
  });
  edited = await addRedirect(owner, shop, { old_path: '/edited', new_path: '/0' });
  for (const rule of [
    { old_path: '/sale', new_path: '/offers' },
    { old_path: '/kept', new_path: 'https://other.example/x', status_code: 302 },
    { old_path: '/gone', status_code: 410 },
    { old_path: '/law', status_code: 451 },
    { old_path: '/p/(\\d+)', new_path: '/products/$1', is_regex: true, status_code: 308 },
    { old_path: '/soon', new_path: '/later', active_until: '2099-01-01T00:00:00Z' },
  ])
    await addRedirect(owner, shop, rule);
  await addRedirect(owner, blog, { old_path: '/post', new_path: '/article', target_environments: 'staging' });
  await Promise.all([settled(owner, shop), settled(owner, blog)]);
  await startService();
  agent = await startAgent();
  await until(async () => (await agentLocation('/sale')) === '/offers', CATCH_UP_MS);
  await until(async () => (await agentLocation('/post', BLOG)) === '/article', CATCH_UP_MS);
}, 120_000);

afterAll(async () => {
  await folder?.clear();
  await stopService();
  await other?.stop();
});

/** The response without what differs between any two responses. */
function comparable({ status, headers, body }: EdgeAnswer) {
  const { date: _date, 'x-request-id': id, ...others } = headers;
  const text = body.replace(/"timestamp":"[^"]+"/, '');
  return { status, headers: Object.entries(others), hasId: typeof id === 'string', body: text };
}

test('two websites get the responses of the service: status, headers in their order, and body', async () => {
  const paths = ['/sale', '/SALE/', '/sale?x=1', '/kept', '/gone', '/law', '/p/12', '/p/x', '/soon', '/', '/%zz'];
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'from-proxy' };
  const requests = ['GET', 'HEAD', 'POST', 'OPTIONS'].flatMap((method) =>
    [...paths, `/${'long'.repeat(2_100)}`].flatMap((path) =>
      [SHOP, 'WWW.shop.example.:80', 'a.b.wild.example', 'old.example', BLOG].map((host) => ({ method, path, host })),
    ),
  );
  for (const { method, path, host } of requests) {
    const ours = await visitAt(other.address, host, path, { method });
    const theirs = await visitAt(agent.address, host, path, { method, headers: proxied });
    expect(comparable(theirs), `${method} ${host}${path}`).toEqual(comparable(ours));
    expect(theirs.headers['x-request-id']).toBe('from-proxy');
  }
  const [ours, theirs] = await Promise.all([
    visitAt(other.address, 'unknown.example', '/'),
    visitAt(agent.address, 'unknown.example', '/'),
  ]);
  expect([theirs.status, JSON.parse(theirs.body).code]).toEqual([ours.status, 'MISDIRECTED_REQUEST']);
});

test('an edit is live at the agent soon after its deployment', async () => {
  await edit('/1');
  await until(async () => (await other.visit(SHOP, '/edited')).location === '/1');
  const liveAt = performance.now();
  await until(async () => (await agentLocation('/edited')) === '/1', CATCH_UP_MS);
  // 2 s on an idle machine.
  expect(performance.now() - liveAt).toBeLessThan(20_000);
});

test('a visit of a missing path is counted, a live check of one is not', async () => {
  const headers = { [NONCE_HEADER]: await createNonces(other.db)(shop) };
  expect((await visitAt(agent.address, SHOP, '/checked', { headers })).status).toBe(404);
  const wrong = { [NONCE_HEADER]: await createNonces(other.db)(blog) };
  expect((await visitAt(agent.address, SHOP, '/counted', { headers: wrong })).status).toBe(404);
  const paths = async (): Promise<string[]> => {
    const { body } = await owner.call('GET', `/api/websites/${shop}/not-found`);
    return body.paths.map(({ path }: { path: string }) => path);
  };
  await until(async () => (await paths()).includes('/counted'), CATCH_UP_MS);
  expect(await paths()).not.toContain('/checked');
}, 90_000);

test('changed options and hosts are live without a deployment', async () => {
  const hosts = [
    { hostname: BLOG, environment: 'staging' },
    { hostname: 'new.blog.example', environment: 'staging' },
  ];
  const { status } = await owner.call('PUT', `/api/websites/${blog}`, {
    fallback_url: 'https://second.example',
    hosts,
  });
  expect(status).toBe(200);
  await until(
    async () => (await agentLocation('/none', 'new.blog.example')) === 'https://second.example/none',
    CATCH_UP_MS,
  );
});

test('it serves while the service is away, starts from its copy, and catches up', async () => {
  await stopService();
  await edit('/2');
  await until(async () => (await other.visit(SHOP, '/edited')).location === '/2');
  await until(async () => (await health())[0]?.problem !== null);
  expect(await agentLocation('/edited')).toBe('/1');
  expect(await agent.end('SIGTERM')).toBe(0);

  agent = await startAgent();
  expect(await agentLocation('/edited')).toBe('/1');
  expect(await agentLocation('/post', BLOG)).toBe('/article');
  expect((await fetch(`${agent.adminAddress}/ready`)).status).toBe(200);
  expect((await health()).map(({ source }) => source)).toEqual(['copy', 'copy']);

  await startService();
  await until(async () => (await agentLocation('/edited')) === '/2', CATCH_UP_MS);
});

test('killed at any moment of its writes, it starts from a whole copy', async () => {
  const rules = Array.from({ length: inSoak(20_000, 2_000) }, (_, at) => ({
    old_path: `/bulk/${at}`,
    new_path: `/to/${at}`,
  }));
  const bulk = await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(shop), redirects: rules });
  expect(bulk.status).toBe(200);
  await settled(owner, shop, undefined, CATCH_UP_MS);
  await until(
    async () => (await agentLocation(`/bulk/${rules.length - 1}`)) === `/to/${rules.length - 1}`,
    CATCH_UP_MS,
  );
  const rounds = inSoak(3, 1);
  for (let round = 1; round <= rounds; round++) {
    const killed = killedWhileWriting();
    await edit(`/round-${round}`);
    await killed;
    // The last start has only the copy.
    if (round === rounds) await stopService();
    agent = await startAgent();
    expect(await agentLocation('/edited')).toMatch(/^\/(2|round-\d)$/);
    expect(await agentLocation('/sale')).toBe('/offers');
    expect(agent.stderr()).not.toContain('cannot be used');
    if (service) await until(async () => (await agentLocation('/edited')) === `/round-${round}`, CATCH_UP_MS);
  }
});

/** Kills the agent as soon as it starts to write a copy. */
function killedWhileWriting(): Promise<unknown> {
  return new Promise((resolve) => {
    const watcher = watch(folder.dataDir, (_event, name) => {
      if (name?.endsWith('.draft') !== true) return;
      watcher.close();
      resolve(agent.end('SIGKILL'));
    });
  });
}
