/** The aggregator in the worker thread: same results as in one thread, and recovery from a crash. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readHitSummary } from '../../src/hits/report/hit-summary.ts';
import {
  createWorkerAggregator,
  type HitAggregator,
  type WorkerAggregatorOptions,
} from '../../src/hits/record/worker-client.ts';
import type { Request } from '../../src/hits/count/request-batch.ts';
import { createVisitors, readVisitorKey } from '../../src/hits/count/visitor.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { localAggregator } from '../support/hits.ts';
import { until } from '../support/wait.ts';

const NOW = new Date();
const KEYS = { secretKey: Buffer.alloc(32, 7), previousSecretKey: null };
const RANGE = { from: '2000-01-01', to: '2999-12-31' };

let database: FreshDatabase;
let websites = 0;
const open: HitAggregator[] = [];

beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  for (const aggregator of open.splice(0)) await aggregator.close();
});
afterAll(() => database?.close());

async function workerAggregator(options: Partial<WorkerAggregatorOptions> = {}): Promise<HitAggregator> {
  const aggregator = await createWorkerAggregator({
    databaseUrl: database.url,
    geoipDb: null,
    ...KEYS,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  open.push(aggregator);
  return aggregator;
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
    utmSource: undefined,
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
    redirect: await readHitSummary(database.db, { websiteId, environment: 'production', redirectId: 3 }, RANGE),
  };
}

test('counts and writes the same as an aggregator in the main thread', async () => {
  const [localSite, remoteSite] = [++websites, ++websites];
  const visitors = createVisitors(await readVisitorKey(database.db, createSecretBox(KEYS)), () => '');
  const local = localAggregator({ db: database.db, visitors });
  const remote = await workerAggregator();
  for (let i = 0; i < 5_000; i++) {
    local.count(request(i, { websiteId: localSite }), NOW.getTime());
    remote.count(request(i, { websiteId: remoteSite }), NOW.getTime());
  }
  await Promise.all([local.write(NOW), remote.write(NOW)]);
  const expected = await found(localSite);
  expect(expected.website.hits).toBeGreaterThan(3_000);
  expect(expected.paths).toHaveLength(11);
  expect(await found(remoteSite)).toEqual(expected);
  expect([remote.unwritten(), remote.overflow()]).toEqual([0, { hits: 0, paths: 0 }]);
});

test('a request is unwritten from the moment it is counted', async () => {
  const aggregator = await workerAggregator();
  for (let i = 1; i <= 2_000; i++) {
    aggregator.count(request(1, { websiteId: ++websites }), NOW.getTime());
    expect(aggregator.unwritten()).toBeGreaterThanOrEqual(i);
  }
  await until(() => Promise.resolve(aggregator.unwritten() === 2_000));
  await aggregator.write(NOW);
  expect(aggregator.unwritten()).toBe(0);
});

/** Forwards a port to the database; the result closes it. */
async function forward(port: number): Promise<{ port: number; close: () => void }> {
  const { hostname, port: to } = new URL(database.url);
  const server: Server = createServer((socket) => {
    const upstream = connect(Number(to), hostname);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => {});
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

test('requests from before the database is reachable are retained and written once it is', async () => {
  const websiteId = ++websites;
  const reserved = await forward(0);
  reserved.close();
  const url = new URL(database.url);
  url.host = `127.0.0.1:${reserved.port}`;
  const aggregator = await workerAggregator({ databaseUrl: url.href });
  for (let i = 1; i <= 5_000; i++)
    aggregator.count(request(1, { websiteId, address: `192.0.2.${i % 100}` }), NOW.getTime());
  await expect(aggregator.write(NOW)).rejects.toThrow();
  aggregator.count(request(1, { websiteId }), NOW.getTime());
  await expect(aggregator.write(NOW)).rejects.toThrow();
  expect(aggregator.unwritten()).toBe(5_001);
  const proxy = await forward(reserved.port);
  await aggregator.write(NOW);
  expect((await found(websiteId)).website).toMatchObject({ hits: 5_001, uniqueVisitors: 100 });
  expect(aggregator.unwritten()).toBe(0);
  await aggregator.close();
  proxy.close();
});

test('an unreadable country database is an error that names the setting', async () => {
  await expect(workerAggregator({ geoipDb: '/nowhere/at-all.mmdb' })).rejects.toThrow(
    /^GEOIP_DB must be .*at-all\.mmdb/,
  );
});

test('a failing write reports the cause, and the next write includes its hits', async () => {
  const websiteId = ++websites;
  const aggregator = await workerAggregator();
  aggregator.count(request(1, { websiteId }), NOW.getTime());
  await database.db.$client.query('alter table website_hits rename to website_hits_away');
  const failure = await aggregator.write(NOW).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: 'writing a batch of hits failed; it is retained and retried',
    cause: { message: expect.stringContaining('website_hits') },
  });
  expect(aggregator.unwritten()).toBe(1);
  await database.db.$client.query('alter table website_hits_away rename to website_hits');
  await aggregator.write(NOW);
  expect((await found(websiteId)).website.hits).toBe(1);
});

test('a closed aggregator starts no worker for later requests', async () => {
  const aggregator = await workerAggregator();
  aggregator.count(request(1, { websiteId: ++websites }), NOW.getTime());
  await aggregator.close();
  const ports = () => process.getActiveResourcesInfo().filter((type) => type === 'MessagePort').length;
  const before = ports();
  aggregator.count(request(1, { websiteId: ++websites }), NOW.getTime());
  expect(ports()).toBe(before);
});

test('a crashed worker is restarted, and the number of lost requests is reported', async () => {
  const websiteId = ++websites;
  const errors: Error[] = [];
  const aggregator = await workerAggregator({
    heapMb: 32,
    limits: { bytes: 1e12, pathsOfSite: 1e6, paths: 1e6 },
    onError: (error) => errors.push(error as Error),
  });
  aggregator.count(request(1, { websiteId }), NOW.getTime());
  await aggregator.write(NOW);
  let sent = 0;
  // More paths than fit into 32 MiB.
  const failure = await until(async () => {
    for (let i = 0; i < 10_000; i++)
      aggregator.count(request(0, { websiteId: 1_000_000, path: `/${++sent}` }), NOW.getTime());
    return aggregator.write(new Date(Number.NaN)).then(
      () => false,
      (error: unknown) => String(error).includes('memory') && error,
    );
  }, 60_000);
  expect(String(failure)).toContain('memory');
  aggregator.count(request(1, { websiteId }), NOW.getTime());
  await aggregator.write(NOW);
  aggregator.count(request(1, { websiteId }), NOW.getTime());
  await aggregator.write(NOW);
  expect(errors.map(String)).toEqual([expect.stringMatching(/\d+ requests could not be counted/)]);
  expect(String(errors[0]?.cause)).toContain('memory');
  expect((await found(websiteId)).website.hits).toBe(3);
  expect(aggregator.unwritten()).toBe(0);
});
