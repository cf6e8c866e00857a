import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/client.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
let waitingFor: string[] = [];
beforeAll(async () => {
  detour = await startTestApp({ deps: { notReady: async () => waitingFor } });
});
afterAll(() => detour.close());

test('GET /health says that the process lives, without credentials', async () => {
  const answer = await detour.call('GET', '/health');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
});

test('GET /ready says whether it can serve, and if not what for it waits', async () => {
  expect((await detour.call('GET', '/ready')).json()).toEqual({ status: 'ready' });
  waitingFor = ['rules are loading'];
  const answer = await detour.call('GET', '/ready');
  expect([answer.statusCode, answer.json()]).toEqual([
    503,
    { status: 'not ready', waiting_for: ['rules are loading'] },
  ]);
  waitingFor = [];
});

test('GET /ready is 503 while the database is away, GET /health is not', async () => {
  const away = openDatabase('postgresql://unknown@127.0.0.1:1/none');
  const cut = await startTestApp({ database: detour.database, deps: { db: away } });
  const answer = await cut.call('GET', '/ready');
  expect([answer.statusCode, answer.json().waiting_for]).toEqual([503, ['the database does not answer']]);
  expect((await cut.call('GET', '/health')).statusCode).toBe(200);
  await cut.close();
  await away.$client.end();
});

test('GET /ready is 503 while a migration is missing', async () => {
  const { db } = detour.database;
  await db.$client.query(`alter table drizzle.__drizzle_migrations rename to later`);
  expect((await detour.call('GET', '/ready')).json().waiting_for).toEqual(['the schema is not migrated']);
  await db.$client.query(`alter table drizzle.later rename to __drizzle_migrations`);
  expect((await detour.call('GET', '/ready')).statusCode).toBe(200);
});
