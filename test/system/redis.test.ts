/** Rate limits in a real Redis: processes share them, and requests pass while Redis is unavailable. */
import type { ChildProcess } from 'node:child_process';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { startRedis, stopRedis } from '../support/redis-server.ts';

const clock = testClock();
const logged: string[] = [];
let port: number;
let server: ChildProcess;
let database: FreshDatabase;
let apps: TestApp[];
let owner: TestOwner;
let key: string;
let outagesBefore = 0;

beforeAll(async () => {
  port = await freePort('127.0.0.1');
  server = await startRedis(port);
  database = await freshDatabase();
  const options = {
    env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    database,
    clock,
    onLog: (line: string) => void logged.push(line),
  };
  apps = [await startTestApp(options), await startTestApp(options)];
  owner = await first().account('pro');
  ({ key } = await owner.key());
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await database.close();
  await stopRedis(server);
});

function first(): TestApp {
  const [app] = apps;
  if (!app) throw new Error('no app');
  return app;
}

/** one line per process and outage */
const outages = (): number => logged.filter((line) => line.includes('Redis is unavailable')).length;
const ask = (app: TestApp) => app.call('GET', '/api/v1/websites', { key });
const remaining = async (app: TestApp): Promise<number> => Number((await ask(app)).headers['x-ratelimit-remaining']);

test('two processes share one budget', async () => {
  const seen: number[] = [];
  for (let i = 0; i < 6; i++) for (const app of apps.slice(i % 2, (i % 2) + 1)) seen.push(await remaining(app));
  expect(seen).toEqual([999, 998, 997, 996, 995, 994]);
});

test('counts are exact under concurrent requests, and each minute starts at zero', async () => {
  clock.advance(60_000);
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  // All at once would keep a busy machine from reading the replies of Redis in time.
  while (answers.length < 1_100)
    answers.push(...(await Promise.all(Array.from({ length: 100 }, (_, i) => ask(apps[i % 2] ?? first())))));
  // Some of those within the limit get 503, because an account has few reads at a time.
  expect(answers.filter((answer) => answer.statusCode !== 429)).toHaveLength(1_000);
  expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(100);
  clock.advance(60_000);
  expect(await remaining(first())).toBe(999);
});

test('counters expire', async () => {
  const redis = new Redis(port);
  const keys = await redis.keys('detour:*');
  expect(keys.length).toBeGreaterThan(0);
  for (const name of keys) {
    const seconds = await redis.ttl(name);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(120);
  }
  redis.disconnect();
});

test('while Redis is unavailable requests pass without delay, counted per process, with one log line', async () => {
  clock.advance(60_000);
  // A busy machine may have had an outage of its own before.
  outagesBefore = outages();
  await stopRedis(server);
  const start = performance.now();
  const answers = [];
  for (let i = 0; i < 20; i++) answers.push(await ask(first()));
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(answers.map((answer) => answer.statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(answers.at(-1)?.headers['x-ratelimit-remaining']).toBe('980');
  await expect.poll(outages).toBe(outagesBefore + apps.length);
});

test('when Redis is available again it counts again', async () => {
  server = await startRedis(port);
  const redis = new Redis(port);
  await expect
    .poll(
      async () => {
        clock.advance(60_000);
        await ask(first());
        return (await redis.keys('detour:*')).length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  redis.disconnect();
  expect(outages()).toBe(outagesBefore + apps.length);
});

test('a process that starts while Redis is unavailable serves requests', async () => {
  const lonely = await startTestApp({
    env: { REDIS_URL: `redis://127.0.0.1:${await freePort('127.0.0.1')}` },
    database,
    clock,
  });
  expect((await ask(lonely)).statusCode).toBe(200);
  await lonely.close();
});
