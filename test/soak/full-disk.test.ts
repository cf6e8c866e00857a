/** Full disks: of PostgreSQL, of uploads and of snapshots. Visitors get redirects, and the API asks to retry. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { openDatabase } from '../../src/db/connection/client.ts';
import { readRulesVersion } from '../../src/deployments/live/snapshots/snapshot-files.ts';
import { startPostgres } from '../../src/platform/postgres/embedded.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { type Answer, send, visitAt } from '../support/detour.ts';
import { addWebhook } from '../support/dispatching.ts';
import { mountSmallDisk, type SmallDisk } from '../support/full-disk.ts';
import { BROWSER } from '../support/hits.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { addRedirect, type Caller, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const HOST = 'full.example';
const WHOLE_WITHIN_MS = 30_000;
/** 10 s are promised. The machine may be busy with other tests. */
const ANSWER_WITHIN_MS = 15_000;
const FULL_MS = 8_000;

let database: FreshDatabase;
let folder: string;
let workshop: Workshop;
let disk: SmallDisk;
let service: ServiceProcess;
let address: string;
let owner: Caller;
let site: number;
/** redirects of /0 */
let visits: number;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  visits = 0;
  folder = mkdtempSync(join(tmpdir(), 'detour-full-'));
  workshop = openWorkshop();
});
afterEach(async () => {
  await workshop.clear();
  disk.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the service with a website that has one redirect. */
async function start(host: string, env: Record<string, string>): Promise<void> {
  address = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
  service = workshop.start({
    PORT: new URL(address).port,
    PUBLIC_URL: address,
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    WEBHOOK_EGRESS: 'private',
    ...env,
  });
  await service.ready;
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = { call: (method, path, body) => send(address, method, path, body, { cookie }) };
  site = await createSite(owner, [host]);
  await addRedirect(owner, site, { old_path: '/0', new_path: '/there' });
  await until(async () => (await visit(host, '/0')) === '/there', 30_000);
}

async function visit(host: string, path: string): Promise<string | undefined> {
  const { location } = await visitAt(address, host, path, { headers: { 'user-agent': BROWSER } });
  if (path === '/0' && location !== undefined) visits++;
  return location;
}
const create = (path: string): Promise<Answer<{ code?: string }>> =>
  owner.call('POST', '/api/redirects', {
    website_id: site,
    old_path: path,
    new_path: '/there',
    notes: 'x'.repeat(1_000),
  });
const formOf = (rows: number, prefix: string): FormData => {
  const form = new FormData();
  form.set('website_id', String(site));
  const lines = Array.from({ length: rows }, (_, i) => `${prefix}${i},/there,${'x'.repeat(900)}`);
  form.set('file', new Blob([['old_path,new_path,notes', ...lines].join('\n')]), 'rules.csv');
  return form;
};

function expectRetryLater({ status, headers, body }: Answer<{ code?: string }>, codes: string[]): void {
  expect({ status, code: body.code }).toEqual({ status: 503, code: expect.toBeOneOf(codes) });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

test('while the disk of PostgreSQL is full, writes get 503 and change nothing; with space again all is whole', async () => {
  disk = mountSmallDisk(400);
  const postgres = await startPostgres({ dataDir: join(disk.path, 'postgres'), durable: false });
  const receiver = await startReceiver();
  try {
    await start(HOST, { DATABASE_URL: postgres.url });
    const db = openDatabase(postgres.url, { max: 1 });
    const own = { db, url: postgres.url, close: () => db.$client.end() };
    await addWebhook(own, await systemActorByEmail(db, OWNER.email), receiver.url);
    await own.close();
    // Spare log files: without one, PostgreSQL itself would stop.
    for (let i = 0; i < 4; i++)
      await query(postgres.url, 'select pg_switch_wal()').then(() => query(postgres.url, 'checkpoint'));
    disk.fill();
    const { stored, rejected } = await useFullDisk();
    disk.empty();
    await expectWhole(postgres.url, receiver.requests);
    const { body } = await owner.call('GET', `/api/redirects?website_id=${site}`);
    const paths = new Set((body.redirects as { old_path: string }[]).map(({ old_path }) => old_path));
    expect(stored.filter((path) => !paths.has(path))).toEqual([]);
    expect(rejected.filter((path) => paths.has(path))).toEqual([]);
    expect([...paths].filter((path) => path.startsWith('/import-'))).toEqual([]);
    const delivered = receiver.requests.map(({ body: text }) => /"old_path":"([^"]+)"/.exec(text)?.[1]);
    expect(stored.filter((path) => !delivered.includes(path))).toEqual([]);
  } finally {
    await workshop.clear();
    await receiver.stop();
    await postgres.stop();
  }
});

/** Writes, imports and visits on the full disk. */
async function useFullDisk() {
  const [stored, rejected]: [string[], string[]] = [[], []];
  let end = Infinity;
  for (let i = 0; performance.now() < end; i++) {
    const path = `/full-${i}`;
    const began = performance.now();
    const [answer, location] = await Promise.all([create(path), visit(HOST, '/0')]);
    expect(location).toBe('/there');
    expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN_MS);
    if (answer.status === 201) stored.push(path);
    else {
      expectRetryLater(answer, ['DATABASE_UNAVAILABLE', 'BUSY']);
      rejected.push(path);
      // The first pages of each table have some space left.
      if (end === Infinity) end = performance.now() + FULL_MS;
    }
    expect(i).toBeLessThan(20_000);
  }
  expectRetryLater(await owner.call('POST', '/api/redirects/import', formOf(5_000, '/import-')), [
    'DATABASE_UNAVAILABLE',
    'BUSY',
  ]);
  expect((await fetch(`${address}/ready`)).status).toBe(200);
  expect(rejected.length).toBeGreaterThan(0);
  return { stored, rejected };
}

async function expectWhole(url: string, requests: { body: string }[]): Promise<void> {
  const deadline = performance.now() + WHOLE_WITHIN_MS;
  const left = (): number => Math.max(0, deadline - performance.now());
  await until(async () => (await create('/after')).status !== 503, left());
  await until(async () => (await visit(HOST, '/after')) === '/there', left());
  await until(() => Promise.resolve(requests.some(({ body }) => body.includes('"old_path":"/after"'))), left());
  await until(async () => (await hits(url)) >= visits, left());
  // All of them, each once.
  expect(await hits(url)).toBe(visits);
  const deployments = await settled(owner, site, undefined, left());
  expect(deployments.filter(({ status }) => status !== 'completed')).toEqual([]);
}

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Written hits of the redirect /0. */
async function hits(url: string): Promise<number> {
  const text = `select coalesce(sum(hits), 0)::int as n from redirect_hits
    where redirect_id = (select id from redirects where website_id = ${site} and old_path = '/0')`;
  return (await query<{ n: number }>(url, text))[0]?.n ?? 0;
}

test('an upload that the disk cannot hold gets 503 BUSY, and leaves nothing', async () => {
  disk = mountSmallDisk(32);
  await start('uploads.example', { TMPDIR: disk.path });
  const whole = await owner.call('POST', '/api/redirects/import', formOf(1_000, '/small-'));
  expect(whole.status).toBe(200);
  // Larger than the disk, with a Content-Length.
  expectRetryLater(await owner.call('POST', '/api/redirects/import', formOf(40_000, '/large-')), ['BUSY']);
  // Without one: the disk fills while the file arrives.
  const began = performance.now();
  const answer = await fetch(`${address}/api/redirects/import?website_id=${site}`, {
    method: 'POST',
    headers: { cookie: await cookieOf(), 'content-type': 'multipart/form-data; boundary=b' },
    body: endless(),
    duplex: 'half',
  });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: 'BUSY' });
  expect(performance.now() - began).toBeLessThan(2 * ANSWER_WITHIN_MS);
  disk.fill();
  expectRetryLater(await owner.call('POST', '/api/redirects/import', formOf(10, '/none-')), ['BUSY']);
  expect(await visit('uploads.example', '/0')).toBe('/there');
  disk.empty();
  await until(async () => (await owner.call('POST', '/api/redirects/import', formOf(10, '/again-'))).status === 200);
  expect(readdirSync(disk.path)).toEqual([]);
  const { body } = await owner.call('GET', `/api/redirects?website_id=${site}`);
  expect(body.redirects).toHaveLength(1 + 1_000 + 10);
});

async function cookieOf(): Promise<string> {
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** A form whose file never ends. */
function endless(): ReadableStream<Uint8Array> {
  const row = new TextEncoder().encode(`/endless,/there,${'x'.repeat(900)}\n`.repeat(100));
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="rules.csv"\r\n\r\nold_path,new_path,notes\n';
  let isFirst = true;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(isFirst ? new TextEncoder().encode(head) : row);
      isFirst = false;
    },
  });
}

test('if the disk of snapshots is full, an error is logged, edits go live, and files stay readable', async () => {
  disk = mountSmallDisk(32);
  await start('snapshots.example', { DATA_DIR: join(disk.path, 'data') });
  const rulesets = join(disk.path, 'data', 'rulesets');
  const file = join(rulesets, `${site}-production.ruleset`);
  const versionOf = async (): Promise<number> => (await readRulesVersion(file).catch(() => undefined))?.version ?? 0;
  await until(async () => (await versionOf()) > 0, 30_000);
  disk.fill();
  const before = await versionOf();
  expect((await owner.call('POST', '/api/redirects/import', formOf(5_000, '/full-'))).status).toBe(200);
  await until(async () => (await visit('snapshots.example', '/full-4999')) === '/there', 30_000);
  await until(() => Promise.resolve(service.stderr().includes('ENOSPC')), 30_000);
  expect(await versionOf()).toBe(before);
  expect(readdirSync(rulesets).filter((name) => name.endsWith('.draft'))).toEqual([]);
  expect((await create('/next')).status).toBe(201);
  const [newest] = await settled(owner, site);
  disk.empty();
  service.signal('SIGTERM');
  expect((await service.ended).code).toBe(0);
  expect(await versionOf()).toBe(newest?.version);
  expect((await service.ended).stderr.split('\n').filter((line) => line.includes('ENOSPC')).length).toBeLessThan(10);
});
