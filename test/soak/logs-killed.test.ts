/** A log of 1 GB, and repeated `kill -9` while logs are counted: a body counts wholly or not at all. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { storeAccount } from '../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, type TestAccount } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/wait.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);
const GIGABYTE_LINES = Number(process.env['LOG_LINES'] ?? 5_000_000);
const BLOCK_LINES = 50_000;
const RULES = 1_000;

let database: FreshDatabase;
let workshop: Workshop;
let service: ServiceProcess;
let port: number;
let key: string;
let site: string;
const random = seeded(Number(process.env['KILL_SEED'] ?? 1));

const address = () => `http://127.0.0.1:${port}`;
const call: TestAccount['keyCall'] = (method, path, body) =>
  send(address(), method, `/api/v1${path}`, body, { authorization: `Bearer ${key}` });

async function start(): Promise<void> {
  service = workshop.start({
    DATABASE_URL: database.url,
    PORT: String(port),
    PUBLIC_URL: address(),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  await service.ready;
}

const today = new Date().toISOString();
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const month = MONTHS.slice((Number(today.slice(5, 7)) - 1) * 3, Number(today.slice(5, 7)) * 3);

/** Half of the lines are of rules, a quarter of missing paths, a quarter of a page without use. About 205 bytes each. */
function block(number: number): Buffer {
  const lines: string[] = [];
  for (let i = 0; i < BLOCK_LINES; i++) {
    const [path, status] =
      i % 2 === 0 ? [`/old/${i % RULES}`, 301] : i % 4 === 1 ? [`/missing/${i % 400}`, 404] : ['/page', 200];
    const time = `${today.slice(8, 10)}/${month}/${today.slice(0, 4)}:00:${String(number % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')} +0000`;
    const client = `10.${i % 20}.${number % 50}.${i % 200}`;
    lines.push(
      `${client} - - [${time}] "GET ${path}?utm_source=mail HTTP/1.1" ${status} 178 "https://www.from.example/" "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/${100 + (i % 20)}.0.0.0"\n`,
    );
  }
  return Buffer.from(lines.join(''));
}

interface Counts {
  lines: number;
  counted: number;
  skipped: number;
}

/** Sends `blocks` blocks from `first` on. */
async function push(first: number, blocks: number): Promise<Counts> {
  async function* body() {
    for (let i = 0; i < blocks; i++) yield block(first + i);
  }
  const response = await fetch(`${address()}/api/v1/websites/${site}/logs?host=logs.example`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
    body: ReadableStream.from(body()),
    duplex: 'half',
  });
  const answer = (await response.json()) as { logs: Counts };
  expect([response.status, response.status === 200 ? '' : answer]).toEqual([200, '']);
  return answer.logs;
}

const stored = async () =>
  (
    await database.db.$client.query(`
      select (select coalesce(sum(hits), 0)::float8 from redirect_hits) as hits,
        (select coalesce(sum(hits), 0)::float8 from website_hits) as website,
        (select coalesce(sum(unmatched), 0)::float8 from website_hits) as unmatched,
        (select coalesce(sum(hits), 0)::float8 from not_found) as paths, (select count(*)::float8 from log_bodies) as bodies`)
  ).rows[0] as Record<'hits' | 'website' | 'unmatched' | 'paths' | 'bodies', number>;

const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

beforeAll(async () => {
  database = await freshDatabase();
  const { actor } = await storeAccount(database.db, { email: 'owner@example.com', plan: 'enterprise' });
  ({ key } = await createApiKey(database.db, actor, { name: 'test' }, systemClock.now()));
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
  await start();
  const hosts = [{ hostname: 'logs.example', environment: 'production' }];
  site = (await call('POST', '/websites', { name: 'logs', hosts })).body.website.id;
  const redirects = Array.from({ length: RULES }, (_, i) => ({ old_path: `/old/${i}`, new_path: '/new' }));
  const { status } = await call('POST', '/redirects/bulk', { website_id: site, redirects });
  expect(status).toBe(200);
  await until(async () => {
    const visit = await fetch(`${address()}/old/998`, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { host: 'logs.example' },
    });
    return visit.status !== 421;
  }, 60_000);
}, 120_000);
afterAll(async () => {
  await workshop.clear();
  await database.close();
});

test('a log of 1 GB counts exactly', async () => {
  await push(0, 1);
  const before = { counts: await stored(), memory: memory() };
  let most = before.memory;
  const timer = setInterval(() => (most = Math.max(most, memory())), 200);
  const began = performance.now();
  const blocks = GIGABYTE_LINES / BLOCK_LINES;
  const counts = await push(100, blocks);
  const seconds = (performance.now() - began) / 1000;
  clearInterval(timer);
  const after = await stored();
  console.log(`${GIGABYTE_LINES} lines in ${seconds.toFixed(1)} s, RSS + ${(most - before.memory).toFixed(0)} MB`);
  expect(counts).toMatchObject({ lines: GIGABYTE_LINES, counted: GIGABYTE_LINES * 0.75 });
  expect(after.hits - before.counts.hits).toBe(GIGABYTE_LINES / 2);
  expect(after.paths - before.counts.paths).toBe(GIGABYTE_LINES / 4);
}, 300_000);

test(`of ${KILLS} bodies during whose count the service was killed, each counts wholly or not at all, and once`, async () => {
  const blocks = 6;
  const began = performance.now();
  await push(10_000, blocks);
  const usualMs = performance.now() - began;
  const outcomes = { counted: 0, undone: 0 };
  for (let round = 1; round <= KILLS; round++) {
    const first = 20_000 + round * blocks;
    const before = await stored();
    const sending = push(first, blocks).catch(() => undefined);
    await pause((0.2 + random()) * usualMs);
    service.signal('SIGKILL');
    await service.ended;
    await sending;
    await start();
    const after = await stored();
    const isCounted = after.bodies > before.bodies;
    outcomes[isCounted ? 'counted' : 'undone']++;
    const lines = isCounted ? blocks * BLOCK_LINES : 0;
    const difference = {
      hits: after.hits - before.hits,
      website: after.website - before.website,
      paths: after.paths - before.paths,
    };
    expect(difference).toEqual({ hits: lines / 2, website: lines / 2, paths: lines / 4 });
    const again = await push(first, blocks);
    expect(again.skipped).toBe(lines);
    expect((await stored()).hits - before.hits).toBe((blocks * BLOCK_LINES) / 2);
  }
  console.log(outcomes);
}, 900_000);
