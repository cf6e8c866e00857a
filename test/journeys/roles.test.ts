/** Processes of one role: the edge has no API, the API answers no redirects, and both follow each other's changes. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import pino from 'pino';
import { systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { VERSION } from '../../src/platform/version.ts';
import { type Detour, startDetour } from '../../src/start.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { rawRequest } from '../surfaces/edge/raw-request.ts';
import { until } from '../support/wait.ts';

const METRICS_TOKEN = '0123456789abcdef';

let api: TestDetour;
let edge: Detour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  api = await startTestDetour({ DETOUR_ROLE: 'api' });
  const config = loadConfig({ PORT: '0', DATABASE_URL: api.url, DETOUR_ROLE: 'edge', SNAPSHOTS: 'off', METRICS_TOKEN });
  edge = await startDetour({ config, databaseUrl: api.url, clock: systemClock, log: pino({ level: 'silent' }) });
  owner = await api.account();
  site = await createSite(owner, ['roles.example']);
  await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
  await until(async () => (await visitAt(edge.address, 'roles.example', '/a')).location === '/b');
});

afterAll(async () => {
  await edge.stop();
  await api.stop();
});

test('the edge answers redirects that the API process has deployed', async () => {
  expect(await visitAt(edge.address, 'roles.example', '/a')).toMatchObject({ status: 301, location: '/b' });
  expect(await visitAt(edge.address, 'roles.example', '/none')).toMatchObject({ status: 404 });
});

test('the edge counts their hits', async () => {
  const id = await addRedirect(owner, site, { old_path: '/counted', new_path: '/b' });
  const visit = () =>
    visitAt(edge.address, 'roles.example', '/counted', { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
  await until(async () => (await visit()).status === 301);
  await until(async () => {
    const { rowCount } = await api.db.$client.query('select 1 from redirect_hits where redirect_id = $1', [id]);
    return rowCount === 1;
  }, 15_000);
});

test.each([
  ['/api/websites', 'localhost'],
  ['/', 'unknown.example'],
  ['/docs', 'localhost:3000'],
])('the edge has no API: %s of %s is 421', async (path, host) => {
  const answer = await visitAt(edge.address, host, path);
  expect([answer.status, answer.headers['content-type']]).toEqual([421, 'application/json; charset=utf-8']);
  expect(JSON.parse(answer.body)).toEqual({
    error: 'This process does not serve this host',
    details: expect.stringContaining(host.split(':')[0] ?? ''),
    code: 'MISDIRECTED_REQUEST',
    timestamp: expect.any(String),
  });
  expect(answer.body).not.toContain('DETOUR_ROLE');
});

test('the edge has probes and metrics', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(edge.address + path, { headers });
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
      text: await response.text(),
    };
  };
  expect(JSON.parse((await ask('/health')).text)).toEqual({ status: 'ok', version: VERSION });
  const ready = await ask('/ready');
  expect([ready.status, JSON.parse(ready.text)]).toEqual([
    200,
    { status: 'ready', database: 'up', rulesets: 'current', version: VERSION },
  ]);
  const noApi = await ask('/ready?for=api');
  expect([noApi.status, JSON.parse(noApi.text).waiting_for]).toEqual([503, ['this process has no API']]);
  expect(await ask('/metrics')).toMatchObject({ status: 401, challenge: 'Bearer realm="Detour"' });
  const { text } = await ask('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` });
  expect(text).toContain('detour_hits_unwritten');
});

test('the API process answers no redirects, in either form of the request', async () => {
  expect(await visitAt(api.address, 'roles.example', '/a')).toMatchObject({ status: 421 });
  const status = await new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.address);
    request({ hostname, port, path: 'http://roles.example/a', headers: { host: 'localhost' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
  expect((await owner.call('GET', '/api/websites')).status).toBe(200);
});

test('the API process rejects two Host headers that differ', async () => {
  const lines = ['GET /health HTTP/1.1', 'Host: localhost', 'Host: roles.example'];
  expect((await rawRequest(api.address, lines)).status).toBe(400);
});

test('a new host is 421 at the API process as soon as it is created', async () => {
  await createSite(owner, ['later.example']);
  expect(await visitAt(api.address, 'later.example', '/')).toMatchObject({ status: 421 });
  await until(async () => (await visitAt(edge.address, 'later.example', '/')).status === 404);
});
