import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRobotsCache, type RobotsDeps } from '../../../src/checks/run/robots-cache.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const MINUTE = 60_000;
let database: FreshDatabase;
let clock: TestClock;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database?.close());
beforeEach(() => void (clock = testClock()));

const cacheWith = (fetchRobots: RobotsDeps['fetchRobots']) =>
  createRobotsCache({ db: database.db, clock, onDelay: () => {}, fetchRobots });
const rulesOf = (path: string) => ({ rules: [{ path, allow: false }], crawlDelaySeconds: null });

test('the robots.txt of an origin is read again after a day, and slows the host down', async () => {
  let fetched = 0;
  const delays: unknown[] = [];
  const create = () =>
    createRobotsCache({
      ...{ db: database.db, clock },
      onDelay: (...delay) => delays.push(delay),
      fetchRobots: () => Promise.resolve({ rules: [{ path: '/x', allow: false }], crawlDelaySeconds: ++fetched }),
    });
  const { signal } = new AbortController();
  const cache = create();
  const origin = 'https://robots.example';
  expect(await cache.read({ origin }, signal)).toEqual({
    rules: [{ path: '/x', allow: false }],
    crawlDelaySeconds: 1,
  });
  await cache.read({ origin }, signal);
  await create().read({ origin }, signal);
  expect(fetched).toBe(1);
  clock.advance(24 * 60 * MINUTE);
  expect((await cache.read({ origin }, signal)).crawlDelaySeconds).toBe(2);
  expect(delays).toEqual([
    ['robots.example', 1],
    ['robots.example', 1],
    ['robots.example', 2],
  ]);
});

test('a check that is stopped while it reads a robots.txt does not fail the others that wait for it', async () => {
  const started = Promise.withResolvers<void>();
  const cache = cacheWith(async (_origin, _own, signal) => {
    started.resolve();
    await new Promise((resolve, reject) => {
      setTimeout(resolve, 100);
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
    return rulesOf('/x');
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const origin = 'https://shared.example';
  const stopped = cache.read({ origin }, first.signal);
  const waiting = cache.read({ origin }, second.signal);
  await started.promise;
  first.abort();
  await expect(stopped).rejects.toThrow('stopped');
  expect(await waiting).toEqual(rulesOf('/x'));
});

test('a website reads its own origin with its headers, and others do not get that answer', async () => {
  const cache = cacheWith((_origin, own) => Promise.resolve(rulesOf(own?.headers['authorization'] ?? '/public')));
  const { signal } = new AbortController();
  const origin = 'https://www.protected.example';
  const own = { origin, headers: { authorization: '/mine' } };
  expect(await cache.read({ origin }, signal)).toEqual(rulesOf('/public'));
  expect(await cache.read({ origin, own, websiteId: 1 }, signal)).toEqual(rulesOf('/mine'));
  expect(await cache.read({ origin }, signal)).toEqual(rulesOf('/public'));
});
