/**
 * Counting and writing without the edge: several processes, outages, a commit whose response is lost, and floods. Holds
 * the rules of src/hits/store/write-batch.ts and write-paths.ts.
 */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connection/client.ts';
import { type HitSummary, readHitSummary } from '../../src/hits/report/hit-summary.ts';
import { type AggregatorOptions, DEFAULT_LIMITS } from '../../src/hits/count/aggregator.ts';
import { createHitRecorder, type HitRecorder, type HitRecorderOptions } from '../../src/hits/record/recorder.ts';
import { createVisitors } from '../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { hitRequest as request, localAggregator } from '../support/hits.ts';

const KEY = Buffer.alloc(16, 5);
const RANGE = { from: '2000-01-01', to: '2999-12-31' };

let database: FreshDatabase;
let clock: TestClock;
let websites = 0;

beforeAll(async () => {
  database = await freshDatabase();
  clock = testClock();
});
afterAll(() => database?.close());

function recorder({
  db = database.db,
  limits = DEFAULT_LIMITS,
  ...options
}: Partial<AggregatorOptions & HitRecorderOptions> = {}): HitRecorder {
  const visitors = createVisitors(KEY, (address) => (address.startsWith('192.') ? 'DE' : 'FR'));
  return createHitRecorder({
    aggregator: localAggregator({ db, visitors, limits }),
    clock,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}

const addressOf = (visitor: number): string => `192.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;

const summary = (websiteId: number, redirectId?: number): Promise<HitSummary> =>
  readHitSummary(
    database.db,
    { websiteId, environment: 'production', ...(redirectId !== undefined && { redirectId }) },
    RANGE,
  );

/** The SQL of a query argument of the driver. */
function sqlOf(query: unknown): string {
  if (typeof query === 'object' && query !== null && 'text' in query) return String(query.text);
  return String(query);
}

describe('several processes', () => {
  test('that write the same website at the same time add up, and visitors are counted once', async () => {
    const websiteId = ++websites;
    const processes = [recorder(), recorder(), recorder()];
    for (let round = 0; round < 5; round++) {
      for (const [index, each] of processes.entries()) {
        // Visitors of neighbouring processes overlap by half.
        for (let i = 0; i < 3_000; i++)
          each.record(
            request({
              websiteId,
              redirectId: 1 + ((i * 7) % 2_600),
              address: addressOf(index * 150 + (i % 300)),
            }),
          );
      }
      await Promise.all(processes.map((each) => each.flush()));
    }
    const found = await summary(websiteId);
    expect(found).toMatchObject({ hits: 45_000, uniqueVisitors: 600, micros: 450_000 });
    expect(found.countries).toEqual([{ country: 'DE', hits: 45_000 }]);
    const { rows } = await database.db.$client.query<{ hits: number; redirects: number }>(
      'select sum(hits)::int as hits, count(*)::int as redirects from redirect_hits where website_id = $1',
      [websiteId],
    );
    expect(rows).toEqual([{ hits: 45_000, redirects: 2_600 }]);
  });

  test('keep the latest hit of a redirect, to the minute', async () => {
    const websiteId = ++websites;
    const [one, two] = [recorder(), recorder()];
    const lastHit = async (): Promise<string | undefined> => {
      const { rows } = await database.db.$client.query<{ at: Date }>(
        'select last_hit_at as at from redirect_activity where website_id = $1',
        [websiteId],
      );
      return rows[0]?.at.toISOString();
    };
    one.record(request({ websiteId }));
    clock.advance(59_000);
    two.record(request({ websiteId }));
    const later = clock.now().toISOString();
    await two.flush();
    await one.flush();
    expect(await lastHit()).toBe(later);
    clock.advance(20_000);
    two.record(request({ websiteId }));
    await two.flush();
    const minute = (time: string | undefined): string | undefined => time?.slice(0, 16);
    expect(minute(await lastHit())).toBe(minute(clock.now().toISOString()));
  });
});

describe('days', () => {
  test('are the UTC days of the clock at the time of the hit, not of the write', async () => {
    const websiteId = ++websites;
    const laterClock = testClock('2031-12-31T23:59:59.999Z');
    const hits = recorder({ clock: laterClock });
    hits.record(request({ websiteId }));
    laterClock.advance(1);
    hits.record(request({ websiteId }));
    hits.record(request({ websiteId, address: '192.0.2.2' }));
    laterClock.advance(40 * 86_400_000);
    await hits.flush();
    expect((await summary(websiteId)).days).toEqual([
      { day: '2032-01-01', hits: 2 },
      { day: '2031-12-31', hits: 1 },
    ]);
    expect(await summary(websiteId, 1)).toMatchObject({ hits: 3, uniqueVisitors: 2 });
  });
});

describe('a failing write', () => {
  test('does not stop counting, and everything is written once the database is back', async () => {
    const websiteId = ++websites;
    const db = openDatabase(database.url, { max: 2 });
    const hits = recorder({ db });
    hits.record(request({ websiteId }));
    await hits.flush();
    await database.db.$client.query('alter table website_hits rename to website_hits_away');
    for (let i = 0; i < 3; i++) {
      hits.record(request({ websiteId, redirectId: 1 + i, address: addressOf(i) }));
      await expect(hits.flush()).rejects.toThrow();
    }
    expect(hits.unwritten()).toBe(3);
    await database.db.$client.query('alter table website_hits_away rename to website_hits');
    await hits.flush();
    expect(await summary(websiteId)).toMatchObject({ hits: 4, uniqueVisitors: 4 });
    expect(hits.unwritten()).toBe(0);
    await db.$client.end();
  });

  test('is not repeated if the commit succeeded and only its response was lost', async () => {
    const websiteId = ++websites;
    const db = openDatabase(database.url, { max: 1 });
    const hits = recorder({ db });
    // The first commit succeeds on the server, and fails for the client.
    let isResponseLost = false;
    db.$client.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      Object.assign(client, {
        query: async (...args: unknown[]) => {
          const result = await query(...args);
          if (isResponseLost || !/^commit/.test(sqlOf(args[0]))) return result;
          isResponseLost = true;
          throw new Error('the connection was lost');
        },
      });
    });
    hits.record(request({ websiteId }));
    await expect(hits.flush()).rejects.toThrow();
    expect(isResponseLost).toBe(true);
    expect(await summary(websiteId)).toMatchObject({ hits: 1 });
    hits.record(request({ websiteId }));
    await hits.flush();
    expect(await summary(websiteId)).toMatchObject({ hits: 2 });
    expect(await summary(websiteId, 1)).toMatchObject({ hits: 2 });
    await db.$client.end();
  });

  test('makes a stop report how many hits are lost, within its timeout', async () => {
    const websiteId = ++websites;
    const errors: unknown[] = [];
    const db = openDatabase('postgres://127.0.0.1:1/nowhere', { max: 1 });
    const hits = recorder({ db, onError: (error) => errors.push(error) });
    for (let i = 0; i < 7; i++) hits.record(request({ websiteId }));
    await hits.stop(2_000);
    expect(errors.map(String)).toEqual([expect.stringContaining('7 hits')]);
  });

  test('is retried by a stop until its timeout, so that a database restart loses nothing', async () => {
    const websiteId = ++websites;
    const db = openDatabase(database.url, { max: 1 });
    const hits = recorder({ db });
    hits.record(request({ websiteId }));
    await hits.flush();
    await database.db.$client.query('alter table website_hits rename to website_hits_away');
    hits.record(request({ websiteId }));
    const failed = once(db.$client, 'release');
    const stopped = hits.stop(10_000);
    await failed;
    await database.db.$client.query('alter table website_hits_away rename to website_hits');
    await stopped;
    expect(await summary(websiteId)).toMatchObject({ hits: 2 });
    await db.$client.end();
  });

  test('does not happen on a normal stop, which writes everything that was counted', async () => {
    const websiteId = ++websites;
    const hits = recorder();
    hits.start();
    for (let i = 0; i < 1_000; i++) hits.record(request({ websiteId, redirectId: 1 + (i % 10) }));
    await hits.stop(10_000);
    expect(await summary(websiteId)).toMatchObject({ hits: 1_000 });
  });
});

describe('a flood', () => {
  const limits = { bytes: 100_000, pathsOfSite: 50, paths: 80 };

  test('of visitors and redirects loses no hit, and the website keeps visitors and countries', async () => {
    const websiteId = ++websites;
    const hits = recorder({ limits });
    for (let i = 0; i < 5_000; i++) hits.record(request({ websiteId, redirectId: 1 + i, address: addressOf(i % 900) }));
    await hits.flush();
    expect(hits.overflow.hits).toBeGreaterThan(4_000);
    expect(hits.overflow.hits).toBeLessThan(5_000);
    const found = await summary(websiteId);
    expect(found).toMatchObject({
      hits: 5_000,
      uniqueVisitors: 900,
      countries: [{ country: 'DE', hits: 5_000 }],
    });
    expect(await summary(websiteId, 5_000)).toMatchObject({ hits: 1, uniqueVisitors: 0, countries: [] });
    expect(await summary(websiteId, 1)).toMatchObject({ hits: 1, uniqueVisitors: 1 });
  });

  test('of different paths counts every request, and paths up to the limits', async () => {
    const [first, second] = [++websites, ++websites];
    const hits = recorder({ limits });
    for (let i = 0; i < 500; i++) hits.record(request({ websiteId: first, redirectId: null, path: `/one/${i}` }));
    for (let i = 0; i < 500; i++) hits.record(request({ websiteId: second, redirectId: null, path: `/two/${i}` }));
    await hits.flush();
    expect(hits.overflow.paths).toBe(1_000 - 80);
    for (const [websiteId, paths] of [
      [first, 50],
      [second, 30],
    ] as const) {
      expect(await summary(websiteId)).toMatchObject({ unmatched: 500 });
      const { rows } = await database.db.$client.query(
        `select (select count(*)::int from not_found where website_id = $1) as paths,
          (select hits from not_found_other where website_id = $1) as other`,
        [websiteId],
      );
      expect(rows).toEqual([{ paths, other: 500 - paths }]);
    }
  });

  test('of paths over time keeps at most 10,000, and evicts noise first, then the paths with the fewest hits', async () => {
    const websiteId = ++websites;
    const hits = recorder({ limits: { bytes: 1e9, pathsOfSite: 20_000, paths: 20_000 } });
    const visit = (path: string, times = 1): void => {
      for (let i = 0; i < times; i++) hits.record(request({ websiteId, redirectId: null, path }));
    };
    visit('/wanted', 3);
    for (let i = 0; i < 500; i++) visit(`/${i}/.env`, 2);
    await hits.flush();
    await database.db.$client.query(
      "update not_found set ignored_at = now() where website_id = $1 and path = '/0/.env'",
      [websiteId],
    );
    clock.advance(1_000);
    for (let i = 0; i < 9_600; i++) visit(`/flood/${i}`);
    await hits.flush();
    const { rows } = await database.db.$client.query(
      `select count(*)::int as paths, count(*) filter (where noise and ignored_at is null)::int as noise,
        count(*) filter (where path in ('/wanted', '/0/.env'))::int as kept, sum(hits)::int as hits,
        (select hits from not_found_other where website_id = $1)::int as other
      from not_found where website_id = $1`,
      [websiteId],
    );
    expect(rows[0]).toMatchObject({ paths: 9_001, noise: 0, kept: 2 });
    expect(rows[0].hits + rows[0].other).toBe(3 + 1_000 + 9_600);
    expect(await summary(websiteId)).toMatchObject({ unmatched: 3 + 1_000 + 9_600 });
  });
});
