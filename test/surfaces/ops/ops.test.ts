/** Holds the rules of src/surfaces/ops/plugin.ts and tls-ask.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/connection/client.ts';
import { createDatabaseProbe } from '../../../src/db/migrate.ts';
import type { ProcessState } from '../../../src/http/server/readiness.ts';
import { VERSION } from '../../../src/platform/version.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const away = openDatabase('postgresql://unknown@127.0.0.1:1/none');
const state: ProcessState = {
  role: 'all',
  rulesets: 'current',
  isStopping: false,
  databaseProblem: createDatabaseProbe(away),
};
const DOWN = { database: 'down', rulesets: 'current', version: VERSION };
let detour: TestApp;
let cut: TestApp;
beforeAll(async () => {
  detour = await startTestApp();
  cut = await startTestApp({ database: detour.database, deps: { state } });
});
afterAll(async () => {
  await cut.close();
  await detour.close();
  await away.$client.end();
});

test('GET /health says that the process lives and which version it is, without credentials', async () => {
  const answer = await detour.call('GET', '/health');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok', version: VERSION }]);
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});

test('GET /ready reports the database, the rulesets and the version', async () => {
  const ready = { status: 'ready', database: 'up', rulesets: 'current', version: VERSION };
  for (const path of ['/ready', '/ready?for=api']) {
    const answer = await detour.call('GET', path);
    expect([answer.statusCode, answer.json()]).toEqual([200, ready]);
  }
});

test('GET /ready stays 200 while the database is away; GET /ready?for=api does not', async () => {
  const answer = await cut.call('GET', '/ready');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', ...DOWN }]);
  const forApi = await cut.call('GET', '/ready?for=api');
  expect([forApi.statusCode, forApi.headers['retry-after'], forApi.json()]).toEqual([
    503,
    '1',
    { status: 'not ready', ...DOWN, waiting_for: ['the database does not answer'] },
  ]);
  expect((await cut.call('GET', '/health')).statusCode).toBe(200);
});

test('a process without redirects is ready only with the database', async () => {
  const api = await startTestApp({ database: detour.database, deps: { state: { ...state, role: 'api' } } });
  expect((await api.call('GET', '/ready')).statusCode).toBe(503);
  await api.close();
});

test('GET /ready is 503 while the process stops', async () => {
  const stopping = await startTestApp({ database: detour.database, deps: { state: { ...state, isStopping: true } } });
  const answer = await stopping.call('GET', '/ready');
  expect([answer.statusCode, answer.json().waiting_for]).toEqual([503, ['the process stops']]);
  await stopping.close();
});

test('GET /ready?for=api is 503 while a migration is missing', async () => {
  const { db } = detour.database;
  await db.$client.query(`alter table drizzle.__drizzle_migrations rename to later`);
  const answer = await detour.call('GET', '/ready?for=api');
  expect(answer.json()).toMatchObject({ database: 'down', waiting_for: ['the schema is not migrated'] });
  await db.$client.query(`alter table drizzle.later rename to __drizzle_migrations`);
  expect((await detour.call('GET', '/ready?for=api')).statusCode).toBe(200);
});

test('GET /metrics responds to private addresses only, by TRUST_PROXY', async () => {
  expect((await detour.call('GET', '/metrics')).statusCode).toBe(200);
  const { statusCode, body } = await detour.call('GET', '/metrics', { remoteAddress: '203.0.113.7' });
  expect([statusCode, body]).toEqual([403, expect.stringContaining('METRICS_TOKEN')]);
  const proxied = await startTestApp({ database: detour.database, env: { TRUST_PROXY: '1' } });
  const from = (client: string) => proxied.call('GET', '/metrics', { headers: { 'x-forwarded-for': client } });
  expect((await from('10.0.0.7')).statusCode).toBe(200);
  expect((await from('203.0.113.7')).json()).toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  await proxied.close();
});

test('GET /metrics needs METRICS_TOKEN if it is set', async () => {
  const env = { METRICS_TOKEN: '0123456789abcdef' };
  const closed = await startTestApp({ database: detour.database, env });
  const denied = await closed.call('GET', '/metrics');
  expect([denied.statusCode, denied.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Detour"']);
  const opened = await closed.call('GET', '/metrics', { key: env.METRICS_TOKEN, remoteAddress: '203.0.113.7' });
  expect([opened.statusCode, opened.headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')]);
  await closed.close();
});

test('GET /ready rejects an unknown purpose', async () => {
  expect((await detour.call('GET', '/ready?for=lunch')).statusCode).toBe(400);
});

test('GET /api/tls/ask needs no database, and has a budget apart from that of the address', async () => {
  const ask = (query: string) =>
    cut.call('GET', `/api/tls/ask${query}`, { headers: { cookie: 'detour.session-token=x' } });
  const own = await ask('?domain=LOCALHOST');
  expect([own.statusCode, own.json()]).toEqual([200, { message: 'LOCALHOST may have a certificate' }]);
  expect(own.headers['x-ratelimit-limit']).toBe('6000');
  const unknown = await ask('?domain=evil.example');
  expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'HOST_NOT_FOUND']);
  expect((await ask('')).json()).toMatchObject({
    code: 'MISSING_PARAMETER',
    details: expect.stringMatching(/^domain: /),
  });
  expect((await ask('?domain=')).json().code).toBe('INVALID_PARAMETER');
  expect((await ask('?domain=a.example&domain=b.example')).json().code).toBe('INVALID_PARAMETER');
  const other = await cut.call('GET', '/api/account');
  expect(other.headers['x-ratelimit-limit']).toBe('100');
});
