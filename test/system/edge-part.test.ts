/** Edge processes with part of the websites: EDGE_WEBSITES and EDGE_ACCOUNTS. Real processes on one database. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const METRICS_TOKEN = '0123456789abcdef';
const FOREIGN_RULES = 500;
/** A new website is followed within this time. */
const FOLLOWED_MS = 5_000;

interface Edge {
  workshop: Workshop;
  process: ServiceProcess;
  address: string;
}

let api: TestDetour;
let database: Relay;
let mine: TestAccount;
let other: TestAccount;
/** of `mine`, in both parts; of `mine`, in that of the account; of `other` */
let site: number;
let second: number;
let foreign: number;
let ofSite: Edge;
let ofAccount: Edge;
const workshops: Workshop[] = [];

async function createWithRule(owner: TestAccount, hosts: string[]): Promise<number> {
  const id = await createSite(owner, hosts);
  await addRedirect(owner, id, { old_path: '/a', new_path: `/of-${id}` });
  return id;
}

async function startEdge(env: Record<string, string>, workshop = openWorkshop()): Promise<Edge> {
  if (!workshops.includes(workshop)) workshops.push(workshop);
  const port = String(await freePort('127.0.0.1'));
  const process = workshop.start({
    DATABASE_URL: database.url,
    DETOUR_ROLE: 'edge',
    METRICS_TOKEN,
    PORT: port,
    ...env,
  });
  return { workshop, process, address: `http://127.0.0.1:${port}` };
}

/** The target of /a, or the status of a response without one. */
async function answer({ address }: Edge, host: string): Promise<string | number | undefined> {
  const response = await visitAt(address, host, '/a').catch(() => undefined);
  return response?.location ?? response?.status;
}

async function metric({ address }: Edge, name: string): Promise<number> {
  const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await response.text())?.[1]);
}

async function changeHosts(owner: TestAccount, method: 'POST' | 'DELETE', id: number, hostname: string): Promise<void> {
  const hosts = [method === 'DELETE' ? hostname : { hostname, environment: 'production' }];
  const { status } = await owner.keyCall(method, `/api/v1/websites/${id}/hosts`, { hosts });
  expect(status).toBeLessThan(300);
}

beforeAll(async () => {
  api = await startTestDetour({ DETOUR_ROLE: 'api' });
  database = await openRelay(api.url);
  [mine, other] = [await api.account(), await api.account()];
  site = await createWithRule(mine, ['*.part.example', 'part.example']);
  second = await createWithRule(mine, ['second.example', 'shop.part.example', '*.deep.part.example']);
  foreign = await createWithRule(other, ['foreign.example']);
  const redirects = Array.from({ length: FOREIGN_RULES }, (_, index) => ({ old_path: `/${index}`, new_path: '/x' }));
  const body = { website_id: String(foreign), redirects };
  expect((await other.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBeLessThan(300);
  ofSite = await startEdge({ EDGE_WEBSITES: `${site}, ${site}` });
  ofAccount = await startEdge({ EDGE_ACCOUNTS: String(mine.accountId) });
  await Promise.all([ofSite.process.ready, ofAccount.process.ready]);
  await until(async () => (await answer(ofAccount, 'second.example')) === `/of-${second}`);
});
afterAll(async () => {
  await Promise.all(workshops.map((workshop) => workshop.clear()));
  await database.close();
  await api.stop();
});

test('it has only its part in memory, and answers 421 for the hosts of other websites', async () => {
  expect(await answer(ofSite, 'part.example')).toBe(`/of-${site}`);
  expect([await metric(ofSite, 'detour_live_websites'), await metric(ofSite, 'detour_live_rules')]).toEqual([1, 1]);
  expect([await metric(ofAccount, 'detour_live_websites'), await metric(ofAccount, 'detour_live_rules')]).toEqual([
    2, 2,
  ]);
  const response = await visitAt(ofSite.address, 'foreign.example', '/a');
  expect(response).toMatchObject({ status: 421, headers: { 'content-type': 'application/json; charset=utf-8' } });
  expect(JSON.parse(response.body)).toEqual({
    error: 'This process does not serve this host',
    details:
      'foreign.example: this process serves only some websites, and none of them has this host; send the host to another process, or check the address',
    code: 'MISDIRECTED_REQUEST',
    timestamp: expect.any(String),
  });
  expect([await answer(ofSite, 'second.example'), await answer(ofAccount, 'foreign.example')]).toEqual([421, 421]);
});

test('a wildcard takes no names that another website has below it', async () => {
  expect(await answer(ofSite, 'any.part.example')).toBe(`/of-${site}`);
  expect(await answer(ofSite, 'shop.part.example')).toBe(421);
  expect(await answer(ofSite, 'a.deep.part.example')).toBe(421);
  expect(await answer(ofAccount, 'a.deep.part.example')).toBe(`/of-${second}`);
  await changeHosts(mine, 'POST', second, 'new.part.example');
  await until(async () => (await answer(ofSite, 'new.part.example')) === 421, FOLLOWED_MS);
  await changeHosts(mine, 'DELETE', second, 'new.part.example');
  await until(async () => (await answer(ofSite, 'new.part.example')) === `/of-${site}`, FOLLOWED_MS);
  await changeHosts(other, 'POST', foreign, 'old.wild.example');
  await changeHosts(mine, 'POST', site, '*.wild.example');
  await until(async () => (await answer(ofSite, 'any.wild.example')) === `/of-${site}`, FOLLOWED_MS);
  await until(async () => (await answer(ofSite, 'old.wild.example')) === 421, FOLLOWED_MS);
});

test('edits of other websites cost it nothing, and its own arrive', async () => {
  await addRedirect(other, foreign, { old_path: '/more', new_path: '/x' });
  await addRedirect(mine, site, { old_path: '/b', new_path: '/c' });
  await until(async () => (await visitAt(ofSite.address, 'part.example', '/b')).location === '/c');
  expect(await metric(ofSite, 'detour_live_rules')).toBe(2);
});

test('a new website of a listed account is followed within 5 s, and a deleted one stops', async () => {
  const created = await createWithRule(mine, ['third.example']);
  await until(async () => (await answer(ofAccount, 'third.example')) === `/of-${created}`, FOLLOWED_MS);
  expect(await answer(ofSite, 'third.example')).toBe(421);
  expect((await mine.call('DELETE', `/api/websites/${created}?force=true`)).status).toBeLessThan(300);
  await until(async () => (await answer(ofAccount, 'third.example')) === 421, FOLLOWED_MS);
});

test('a host that moves is served by the part of its website', async () => {
  await changeHosts(mine, 'DELETE', second, 'second.example');
  await changeHosts(mine, 'POST', site, 'second.example');
  await until(async () => (await answer(ofSite, 'second.example')) === `/of-${site}`, FOLLOWED_MS);
  await changeHosts(mine, 'DELETE', site, 'second.example');
  await changeHosts(other, 'POST', foreign, 'second.example');
  await until(async () => (await answer(ofSite, 'second.example')) === 421, FOLLOWED_MS);
  await until(async () => (await answer(ofAccount, 'second.example')) === 421, FOLLOWED_MS);
});

test('it starts from the snapshot of its part without the database, also after kill -9', async () => {
  const { workshop } = ofSite;
  const folder = join(
    workshop.dataDir,
    readdirSync(workshop.dataDir).find((name) => name.startsWith('rulesets-')) ?? '',
  );
  await until(async () => readdirSync(folder).includes('sites.snapshot'), 30_000);
  expect(readdirSync(folder).filter((name) => name.endsWith('.ruleset'))).toEqual([`${site}-production.ruleset`]);
  ofSite.process.signal('SIGKILL');
  await ofSite.process.ended;
  await database.close();
  const edge = await startEdge({ EDGE_WEBSITES: String(site) }, workshop);
  await until(async () => (await answer(edge, 'part.example')) === `/of-${site}`, 30_000);
  expect(await answer(edge, 'any.part.example')).toBe(`/of-${site}`);
  // Until the database confirms them, hosts of other websites get 503, also below a wildcard.
  expect(await answer(edge, 'shop.part.example')).toBe(503);
  expect(await answer(edge, 'foreign.example')).toBe(503);
});

test('ids without a website are one warning', async () => {
  const edge = await startEdge({ DATABASE_URL: api.url, EDGE_WEBSITES: `${site},999999` });
  await edge.process.ready;
  expect(
    edge.process
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([expect.objectContaining({ ids: [999_999], msg: expect.stringContaining('EDGE_WEBSITES') })]);
});
