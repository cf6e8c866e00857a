/** `detour-edge --relay`: followers with their own keys behind a real agent, and a real service. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/postgres/server.ts';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

const HOST = 'shop.relay.example';
/** A whole version of these has more than a megabyte, so the relay stores it in a file. */
const MANY = 10_000;
const BROWSER = { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } };

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
let service: Relay;
let site: number;
let redirect: number;
let port: number;
const folders: AgentFolder[] = [];
let relay: AgentProcess;
let follower: AgentProcess;
let relayFolder: AgentFolder;

async function createKey(account: TestAccount): Promise<{ id: string; key: string }> {
  const { body } = await account.call('POST', '/api/keys', { name: 'follower', scope: 'read' });
  return body.api_key;
}

const startRelay = () =>
  relayFolder.start(['--url', service.url, '--website', 'all', '--relay', String(port)], {
    DETOUR_API_KEY: owner.key,
  });

const feed = (at: string, key: string | undefined, query = '', signal?: AbortSignal) =>
  fetch(`${at}/api/v1/feeds/${site}/production${query}`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    ...(signal && { signal }),
  });

async function edit(target: string): Promise<void> {
  const { status } = await owner.call('PUT', `/api/redirects/${redirect}`, { new_path: target });
  expect(status).toBe(200);
}

const location = async (): Promise<string | undefined> =>
  (await visitAt(follower.address, HOST, '/a', BROWSER)).location;

beforeAll(async () => {
  detour = await startTestDetour();
  [owner, other] = [await detour.account(), await detour.account()];
  site = await createSite(owner, [HOST]);
  redirect = await addRedirect(owner, site, { old_path: '/a', new_path: '/first' });
  await settled(owner, site);
  service = await openRelay(detour.address);
  port = await freePort('127.0.0.1');
  folders.push((relayFolder = openAgentFolder()));
  relay = await startRelay();
  const folder = openAgentFolder();
  folders.push(folder);
  const { key } = await createKey(owner);
  follower = await folder.start(['--url', relay.relayAddress, '--website', HOST], { DETOUR_API_KEY: key });
  await until(async () => (await location()) === '/first', 20_000);
});
afterAll(async () => {
  await Promise.all(folders.map((folder) => folder.clear()));
  await service.close();
  await detour.stop();
});

test('a follower gets edits, and its hits reach the service', async () => {
  await edit('/second');
  await until(async () => (await location()) === '/second');
  await until(async () => {
    const { rows } = await detour.db.$client.query('select 1 from redirect_hits where redirect_id = $1', [redirect]);
    return rows.length > 0;
  }, 30_000);
});

test('a feed is that of the service, whole and as a difference', async () => {
  const redirects = Array.from({ length: MANY }, (_, index) => ({
    old_path: `/many/${index}`,
    new_path: `/to/${index}`,
  }));
  for (let at = 0; at < MANY; at += 1_000) {
    const body = { website_id: String(site), redirects: redirects.slice(at, at + 1_000) };
    expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBeLessThan(300);
  }
  await settled(owner, site);
  const { key } = await createKey(owner);
  for (const query of ['', '?since=1', '?since=0']) {
    const wanted = await feed(detour.address, key, query);
    const text = await wanted.text();
    await until(async () => (await (await feed(relay.relayAddress, key, query)).text()) === text, 20_000);
    const found = await feed(relay.relayAddress, key, query);
    expect(found.headers.get('etag')).toBe(wanted.headers.get('etag')?.replace('W/', ''));
    expect(found.headers.get('detour-check')).toBe(wanted.headers.get('detour-check'));
  }
  expect((await feed(relay.relayAddress, key, '?since=900000')).status).toBe(410);
});

test('a key without rights gets the error of the service, and nothing else', async () => {
  for (const key of [undefined, 'dtr_wrong', (await createKey(other)).key]) {
    const [wanted, found] = [await feed(detour.address, key), await feed(relay.relayAddress, key)];
    expect([401, 404]).toContain(found.status);
    expect([found.status, found.headers.get('www-authenticate')]).toEqual([
      wanted.status,
      wanted.headers.get('www-authenticate'),
    ]);
    expect(((await found.json()) as { code: string }).code).toBe(((await wanted.json()) as { code: string }).code);
    expect(found.headers.get('detour-check')).toBeNull();
  }
  const wrong = await feed(relay.relayAddress, owner.key, '?since=x');
  expect([wrong.status, ((await wrong.json()) as { code: string }).code]).toEqual([400, 'INVALID_PARAMETER']);
  for (const path of ['/api/v1/redirects', '//']) {
    const unknown = await fetch(relay.relayAddress + path);
    expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
  }
});

test('a revoked key loses the feed within 30 s, also while it waits', { timeout: 60_000 }, async () => {
  const { id, key } = await createKey(owner);
  const head = JSON.parse((await (await feed(relay.relayAddress, key)).text()).split('\n')[0] ?? '');
  const waiting = feed(relay.relayAddress, key, `?since=${head.version}&history=${head.history}&wait=60`);
  expect((await owner.call('DELETE', `/api/keys/${id}`)).status).toBe(200);
  const startedAt = performance.now();
  expect((await waiting).status).toBe(401);
  expect(performance.now() - startedAt).toBeLessThan(31_000);
  expect((await feed(relay.relayAddress, key)).status).toBe(401);
});

test('followers serve on after kill -9 of the relay, and get what they missed from the next one', async () => {
  await relay.end('SIGKILL');
  await edit('/third');
  expect(await location()).toBe('/second');
  relay = await startRelay();
  await until(async () => (await location()) === '/third', 40_000);
});

test('a relay whose own key is revoked does not pass its rules off as current', async () => {
  const [ofRelay, { key }] = [await createKey(owner), await createKey(owner)];
  const folder = openAgentFolder();
  folders.push(folder);
  const args = ['--url', detour.address, '--website', String(site), '--relay', '0'];
  const cutOff = await folder.start(args, { DETOUR_API_KEY: ofRelay.key });
  await until(async () => (await feed(cutOff.relayAddress, key)).status === 200);
  expect((await owner.call('DELETE', `/api/keys/${ofRelay.id}`)).status).toBe(200);
  await until(async () => (await feed(cutOff.relayAddress, key)).status === 503);
  await cutOff.end('SIGTERM');
});

test('while the service is away, followers serve on and unknown keys get 503', async () => {
  const { key } = await createKey(owner);
  await service.close();
  expect((await feed(relay.relayAddress, key)).status).toBe(503);
  expect(await location()).toBe('/third');
  await service.open();
  await until(async () => (await feed(relay.relayAddress, key)).status === 200, 20_000);
});
