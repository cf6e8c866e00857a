/** Counting in a thread of its own: it says what a ledger in this thread would say, and what becomes of it all when it dies. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readHitSummary } from '../../../src/hits/report/hit-summary.ts';
import { createAggregator, type HitAggregator } from '../../../src/hits/count/aggregator.ts';
import { type LedgerThreadOptions, createWorkerAggregator } from '../../../src/hits/record/worker-client.ts';
import type { Request } from '../../../src/hits/record/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const KEY = Buffer.alloc(16, 5);
const NOW = new Date();
const RANGE = { from: '2000-01-01', to: '2999-12-31' };

let database: FreshDatabase;
let websites = 0;
const open: HitAggregator[] = [];

beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
});
afterAll(() => database?.close());

async function thread(options: Partial<LedgerThreadOptions> = {}): Promise<HitAggregator> {
  const ledger = await createWorkerAggregator({
    databaseUrl: database.url,
    visitorKey: KEY,
    geoipDb: null,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  open.push(ledger);
  return ledger;
}

function request(i: number, fields: Partial<Request> & { websiteId: number }): Request {
  return {
    environment: 'production',
    redirectId: i % 5 === 0 ? null : 1 + (i % 7),
    path: `/path-${i % 11}`,
    micros: i,
    address: `192.0.2.${i % 200}`,
    userAgent: i % 13 === 0 ? 'Googlebot/2.1' : `Mozilla/5.0 (X11; rv:${i % 3}) Gecko/20100101 Firefox/140.0`,
    country: i % 3 === 0 ? 'DE' : undefined,
    referrer: i % 4 === 0 ? 'https://from.example/page' : undefined,
    ...fields,
  };
}

async function found(websiteId: number) {
  const { rows: paths } = await database.db.$client.query(
    'select path, hits, bot_hits, referrer_host, noise from not_found where website_id = $1 order by path',
    [websiteId],
  );
  return {
    paths,
    website: await readHitSummary(database.db, { websiteId, environment: 'production' }, RANGE),
    redirect: await readHitSummary(
      database.db,
      { websiteId, environment: 'production', redirectId: 3 },
      RANGE,
    ),
  };
}

test('what it counts and writes is what a ledger in this thread does', async () => {
  const [here, there] = [++websites, ++websites];
  const local = createAggregator({ db: database.db, visitors: createVisitors(KEY, () => '') });
  const remote = await thread();
  for (let i = 0; i < 5_000; i++) {
    local.count(request(i, { websiteId: here }), NOW.getTime());
    remote.count(request(i, { websiteId: there }), NOW.getTime());
  }
  await Promise.all([local.write(NOW), remote.write(NOW)]);
  const expected = await found(here);
  expect(expected.website.hits).toBeGreaterThan(3_000);
  expect(expected.paths).toHaveLength(11);
  expect(await found(there)).toEqual(expected);
  expect([remote.unwritten(), remote.folded()]).toEqual([0, { hits: 0, paths: 0 }]);
});

test('a request counts as not written from the moment it is handed over', async () => {
  const ledger = await thread();
  for (let i = 1; i <= 2_000; i++) {
    ledger.count(request(1, { websiteId: ++websites }), NOW.getTime());
    expect(ledger.unwritten()).toBeGreaterThanOrEqual(i);
  }
  await until(() => Promise.resolve(ledger.unwritten() === 2_000));
  await ledger.write(NOW);
  expect(ledger.unwritten()).toBe(0);
});

test('a country database that cannot be read keeps it from starting, in the words of the setting', async () => {
  await expect(thread({ geoipDb: '/nowhere/at-all.mmdb' })).rejects.toThrow(
    /^GEOIP_DB must be .*at-all\.mmdb/,
  );
});

test('a writing that fails says why, and what it held is written by the next that does not', async () => {
  const websiteId = ++websites;
  const ledger = await thread();
  ledger.count(request(1, { websiteId }), NOW.getTime());
  await database.db.$client.query('alter table website_hits rename to website_hits_away');
  const failure = await ledger.write(NOW).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: 'a batch of hits could not be written; it is kept and tried again',
    cause: { message: expect.stringContaining('website_hits') },
  });
  expect(ledger.unwritten()).toBe(1);
  await database.db.$client.query('alter table website_hits_away rename to website_hits');
  await ledger.write(NOW);
  expect((await found(websiteId)).website.hits).toBe(1);
});

test('one that is closed starts no thread for what comes after', async () => {
  const ledger = await thread();
  ledger.count(request(1, { websiteId: ++websites }), NOW.getTime());
  await ledger.close();
  const ports = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
  const before = ports();
  ledger.count(request(1, { websiteId: ++websites }), NOW.getTime());
  expect(ports()).toBe(before);
});

test('a thread that dies is started again, and how many requests are lost is told', async () => {
  const websiteId = ++websites;
  const errors: Error[] = [];
  const ledger = await thread({
    heapMb: 32,
    bounds: { bytes: 1e12, pathsOfSite: 1e6, paths: 1e6 },
    onError: (error) => errors.push(error as Error),
  });
  ledger.count(request(1, { websiteId }), NOW.getTime());
  await ledger.write(NOW);
  let sent = 0;
  // More paths than 32 MiB have room for.
  const failure = await until(async () => {
    for (let i = 0; i < 10_000; i++)
      ledger.count(request(0, { websiteId: 1_000_000, path: `/${++sent}` }), NOW.getTime());
    return ledger.write(new Date(Number.NaN)).then(
      () => false,
      (error: unknown) => String(error).includes('memory') && error,
    );
  }, 60_000);
  expect(String(failure)).toContain('memory');
  ledger.count(request(1, { websiteId }), NOW.getTime());
  await ledger.write(NOW);
  ledger.count(request(1, { websiteId }), NOW.getTime());
  await ledger.write(NOW);
  expect(errors.map(String)).toEqual([expect.stringMatching(/\d+ requests could not be counted/)]);
  expect(String(errors[0]?.cause)).toContain('memory');
  expect((await found(websiteId)).website.hits).toBe(3);
  expect(ledger.unwritten()).toBe(0);
});
