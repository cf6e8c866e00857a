/**
 * `kill -9` and a stop while suggestions of a move are computed: the next start goes on, and no row is left out. Two people
 * decide one move while its process is killed: no decision is lost, and none is overwritten.
 */
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
let keys: string[];

beforeAll(async () => {
  database = await freshDatabase();
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
  const { actor } = await storeAccount(database.db, { email: 'owner@example.com', plan: 'enterprise' });
  const keyOf = async (name: string) => (await createApiKey(database.db, actor, { name }, systemClock.now())).key;
  keys = [await keyOf('maria'), await keyOf('jonas')];
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

const call = <Body>(method: string, path: string, body: unknown, key = keys[0]) =>
  send<Body>(`http://127.0.0.1:${port}`, method, `/api/v1/websites${path}`, body, {
    authorization: `Bearer ${key}`,
  });
const urls = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `/${folder}/page-${index}/part-${index % 7}`);

/** Begins a move of so many rows, and returns its path. */
async function begin(host: string, rows: number): Promise<string> {
  const hosts = [{ hostname: host, environment: 'production' }];
  const { website } = (await call<{ website: { id: string } }>('POST', '', { name: host, hosts })).body;
  const body = { name: 'Shop', from: { urls: urls('old', rows) }, to: { urls: urls('new', rows) } };
  const { status, body: begun } = await call<{ move: { id: string } }>('POST', `/${website.id}/moves`, body);
  expect(status).toBe(202);
  return `/${website.id}/moves/${begun.move.id}`;
}

test('a matching goes on after a kill and after a stop', async () => {
  await start();
  await begin('killed-move.example', ROWS);
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

interface Decided {
  updated: number;
  conflicts: { code: string }[];
}

test('two people decide one move while its process is killed', async () => {
  const count = 600;
  await start();
  const move = await begin('two-people.example', count);
  /** the target of each row whose decision was acknowledged, and by whom */
  const acknowledged = new Map<string, string[]>();
  let conflicts = 0;
  /** Decides all rows, from one end. A call that a kill cut off is sent again, as a person does. */
  async function decideAll(name: string, key: string | undefined, from: string[]): Promise<void> {
    for (const url of from) {
      const rows = [{ url, decision: 'redirect', target: `/new/by-${name}`, revision: 0 }];
      const decide = () => call<Decided>('PUT', `${move}/rows`, { rows }, key).catch(() => undefined);
      const answer = await until(async () => {
        const { status, body } = (await decide()) ?? {};
        return status === 200 ? body : undefined;
      }, 60_000);
      if (answer.updated === 1) acknowledged.set(url, [...(acknowledged.get(url) ?? []), name]);
      else if (answer.conflicts[0]?.code === 'ROW_CHANGED') conflicts++;
    }
  }
  const all = urls('old', count);
  let isDone = false;
  const people = Promise.all([decideAll('maria', keys[0], all), decideAll('jonas', keys[1], all.toReversed())]);
  void people.finally(() => (isDone = true));
  let kills = 0;
  for (; !isDone && kills < 8; kills++) {
    const before = acknowledged.size;
    await until(async () => isDone || acknowledged.size > before + 20, 60_000);
    await end('SIGKILL');
    await start();
  }
  await people;
  expect(kills).toBeGreaterThan(2);
  const stored = await query(`select url, target, revision from move_rows
    where move_id = '${move.split('/').at(-1)}' order by url`);
  expect(stored).toHaveLength(count);
  for (const { url, target, revision } of stored) {
    // The decision of a call that a kill cut off may stand without an answer; its repetition is then a conflict.
    const by = acknowledged.get(url) ?? [];
    expect([url, by.length <= 1, revision]).toEqual([url, true, 1]);
    if (by.length === 1) expect([url, target]).toEqual([url, `/new/by-${by[0]}`]);
    else expect(target).toMatch(/^\/new\/by-(maria|jonas)$/);
  }
  expect(acknowledged.size + conflicts).toBeGreaterThanOrEqual(2 * count - 2 * kills);
  await end('SIGTERM');
}, 300_000);
