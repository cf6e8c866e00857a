/** `kill -9` and a stop while suggestions of a move are computed: the next start goes on, and no row is left out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { storeAccount } from '../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

const ROWS = 20_000;

let database: FreshDatabase;
let workshop: Workshop;
let service: ServiceProcess;
let port: number;

beforeAll(async () => {
  database = await freshDatabase();
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
});
afterAll(async () => {
  await workshop.clear();
  await database.close();
});

async function start(): Promise<void> {
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
  service = workshop.start({ DATABASE_URL: database.url, PORT: String(port), PUBLIC_URL, SECRET_KEY });
  await service.ready;
}

async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  service.signal(signal);
  await service.ended;
}

const query = async (text: string) => (await database.db.$client.query(text)).rows;
const matched = async (): Promise<number> => (await query('select matched from moves'))[0].matched;
const hasGoneOn = (from: number, withinMs: number) => until(async () => (await matched()) > from, withinMs);

test('a matching goes on after a kill and after a stop', async () => {
  const { actor } = await storeAccount(database.db, { email: 'owner@example.com', plan: 'enterprise' });
  const { key } = await createApiKey(database.db, actor, { name: 'test' }, systemClock.now());
  await start();
  const call = (method: string, path: string, body: unknown) =>
    send<Record<string, never>>(`http://127.0.0.1:${port}`, method, `/api/v1/websites${path}`, body, {
      authorization: `Bearer ${key}`,
    });
  const hosts = [{ hostname: 'killed-move.example', environment: 'production' }];
  const { website } = (await call('POST', '', { name: 'Shop', hosts })).body as never as { website: { id: string } };
  const urls = (folder: string) =>
    Array.from({ length: ROWS }, (_, index) => `/${folder}/page-${index}/part-${index % 7}`);
  const body = { name: 'Shop', from: { urls: urls('old') }, to: { urls: urls('new') } };
  expect((await call('POST', `/${website.id}/moves`, body)).status).toBe(202);

  await hasGoneOn(0, 30_000);
  await end('SIGKILL');
  const atKill = await matched();
  expect(atKill).toBeLessThan(ROWS);
  // The lease of a killed process lasts for a minute.
  await query(`update moves set lease_until = now() - interval '1 second'`);
  await start();
  await hasGoneOn(atKill, 30_000);
  await end('SIGTERM');
  const atStop = await matched();
  expect(atStop).toBeLessThan(ROWS);
  await start();
  await hasGoneOn(atStop, 30_000);
  await until(async () => (await query('select state from moves'))[0].state === 'ready', 120_000);
  const [rows] = await query(`select count(*)::int as rows, count(*) filter (where generation = 1)::int as matched,
    (select count(*)::int from move_suggestions) as suggested from move_rows`);
  expect(rows).toEqual({ rows: ROWS, matched: ROWS, suggested: ROWS });
  expect(await matched()).toBe(ROWS);
  await end('SIGTERM');
}, 300_000);
