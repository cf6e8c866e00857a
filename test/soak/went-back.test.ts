/**
 * The database goes back in time under a running service: it is swapped for a copy that lacks the last commits, as by a
 * failover to a replica that lags. Nothing is served afterwards that the database does not have.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FeedHead } from '../../src/feed-client/feed-lines.ts';
import { createFeedRules, type FeedRules } from '../../src/feed-client/feed-rules.ts';
import { followFeed, type Follower } from '../../src/feed-client/follow-feed.ts';
import { createSlices, pauseByTimer } from '../../src/feed-client/slices.ts';
import { asAdmin, freshDatabase, type FreshDatabase } from '../support/database.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'shop.example';
const PATHS = ['/keep/1', '/lost/1', '/lost/2', '/new/1', '/new/2', '/new/3'];

const parent = mkdtempSync(join(tmpdir(), 'detour-went-back-'));
const dataDir = join(parent, 'first');
const log: { msg: string; versions?: number }[] = [];
let database: FreshDatabase;
let detour: TestDetour;
let owner: TestAccount;
let site: number;
let follower: Follower;
let followed: FeedRules | undefined;
const expired: number[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  detour = await startTestDetour(
    { SNAPSHOTS: 'on', DATA_DIR: dataDir },
    { database, onLog: (line) => void log.push(JSON.parse(line)) },
  );
  owner = await detour.account();
  site = await createSite(owner, [HOST]);
});
afterAll(async () => {
  await follower.stop();
  await detour.stop();
  rmSync(parent, { recursive: true });
});

/** Ends all connections to the database, runs `work`, and lets the service connect again. */
async function whileClosed(work: (name: string) => Promise<void>): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await asAdmin(`alter database ${name} with allow_connections false`);
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await until(async () => (await asAdmin(`select from pg_stat_activity where datname = '${name}'`)).rowCount === 0);
  await work(name);
  await asAdmin(`alter database ${name} with allow_connections true`);
}

async function served(at: TestDetour): Promise<string[]> {
  const answers = await Promise.all(PATHS.map(async (path) => ({ path, ...(await at.visit(HOST, path)) })));
  return answers.filter(({ status }) => status === 301).map(({ path }) => path);
}

const followedPaths = (): string[] =>
  PATHS.filter((path) => followed?.ruleset.match({ path, query: null }, followed.head.options as never));

async function add(path: string): Promise<void> {
  await until(async () => {
    const body = { website_id: site, old_path: path, new_path: '/x' };
    return (await owner.call('POST', '/api/redirects', body)).status === 201;
  });
  await settled(owner, site);
}

function follow(): Follower {
  return followFeed({
    source: {
      url: detour.address,
      apiKey: owner.key,
      websiteId: String(site),
      environment: 'production',
      fetch,
    },
    target: createFeedRules({ slices: createSlices(pauseByTimer), onRules: (rules) => void (followed = rules) }),
    onExpired: (version) => void expired.push(version),
    waitSeconds: 1,
  });
}

test('what the database does not have is served no longer, by the process, an agent, and a process that starts late', async () => {
  await addRedirect(owner, site, { old_path: '/keep/1', new_path: '/x' });
  await settled(owner, site);
  await whileClosed((name) =>
    asAdmin(`create database ${name}_lags template ${name} strategy file_copy`).then(() => {}),
  );
  await add('/lost/1');
  await add('/lost/2');
  follower = follow();
  const before = ['/keep/1', '/lost/1', '/lost/2'];
  await until(async () => followedPaths().length === 3);
  expect(await served(detour)).toEqual(before);
  const lostVersion = followed?.head.version;
  // The files of a machine that starts late. They are written 10 s apart.
  await until(async () => {
    rmSync(join(parent, 'late'), { recursive: true, force: true });
    cpSync(dataDir, join(parent, 'late'), { recursive: true });
    const late = await snapshotVersion();
    return late === lostVersion;
  }, 60_000);

  await whileClosed(async (name) => {
    await asAdmin(`alter database ${name} rename to ${name}_lost`);
    await asAdmin(`alter database ${name}_lags rename to ${name}`);
  });
  const swappedAt = performance.now();
  await until(async () => (await served(detour)).join() === '/keep/1');
  expect(performance.now() - swappedAt).toBeLessThan(5_000);

  for (const path of ['/new/1', '/new/2', '/new/3']) await add(path);
  const now = ['/keep/1', '/new/1', '/new/2', '/new/3'];
  expect(await served(detour)).toEqual(now);
  await until(async () => followedPaths().join() === now.join());
  expect(expired.length).toBeGreaterThan(0);
  expect(log.filter(({ msg }) => msg.includes('went back in time'))).toEqual([
    expect.objectContaining({ versions: expect.any(Number) }),
  ]);

  // Its snapshot has a version that exists now, with other rules.
  const version = followed?.head.version ?? 0;
  expect(version).toBeGreaterThanOrEqual(lostVersion ?? Infinity);
  const lines: string[] = [];
  const late = await startTestDetour(
    { SNAPSHOTS: 'on', DATA_DIR: join(parent, 'late') },
    { database: { ...database, close: async () => {} }, onLog: (line) => void lines.push(line) },
  );
  expect(await served(late)).toEqual(now);
  await late.stop();
  expect(lines.filter((line) => line.includes('went back in time'))).toHaveLength(1);
  const name = new URL(database.url).pathname.slice(1);
  await asAdmin(`drop database ${name}_lost`);
}, 240_000);

async function snapshotVersion(): Promise<number> {
  const { readRulesVersion, rulesFile } = await import('../../src/deployments/live/snapshots/snapshot-files.ts');
  const file = join(parent, 'late', 'rulesets', rulesFile(site, 'production'));
  return readRulesVersion(file).then(
    ({ version }) => version,
    () => 0,
  );
}

test('a follower with a version of another history gets 410, and one that sends no history as before', async () => {
  const feed = (query: string, headers = {}) =>
    fetch(`${detour.address}/api/v1/feeds/${site}/production${query}`, {
      headers: { authorization: `Bearer ${owner.key}`, ...headers },
    });
  const whole = await feed('');
  const head = JSON.parse((await whole.text()).split('\n')[0] ?? '') as FeedHead;
  const etag = whole.headers.get('etag') ?? '';
  expect(etag).toBe(`W/"${head.version}-${head.history}"`);
  const other = '00000000-0000-4000-8000-000000000000';
  const results = await Promise.all([
    feed(`?since=${head.version}&history=${head.history}&wait=0`),
    feed(`?since=${head.version}&history=${other}&wait=0`),
    feed(`?since=${head.version - 1}&history=${other}`),
    feed(`?since=${head.version}&wait=0`),
    feed(`?since=${head.version - 1}`),
    feed('?wait=0', { 'if-none-match': `"${head.version}"` }),
    feed('?wait=0', { 'if-none-match': `"${head.version}-${other}"` }),
    feed('', { 'if-none-match': etag }),
  ]);
  expect(results.map(({ status }) => status)).toEqual([304, 410, 410, 304, 200, 304, 200, 304]);
});
