/** Imports and exports whose database goes silent, cuts its connections, or goes away for a while. */
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { until } from '../support/wait.ts';
import { newWebsite } from '../surfaces/session-api/site.ts';

/** About 10 s are promised. The machine may be busy. */
const ANSWER_WITHIN_MS = 20_000;
const CSV_ROWS = 200_000;

let database: FreshDatabase;
let relay: Relay;
let detour: TestDetour;
// Connections that went silent stay in the pools for some seconds, so each test has a service of its own.
beforeEach(async () => {
  database = await freshDatabase();
  relay = await openRelay(database.url);
  detour = await startTestDetour({}, { database: { ...database, url: relay.url } });
});
afterEach(async () => {
  await detour.stop();
  await relay.close();
});

const cut = async (): Promise<void> => {
  await relay.close();
  await relay.open();
};
const silence = async (): Promise<void> => relay.silence();

interface ImportRow extends Record<string, unknown> {
  status: string;
  received: number;
}

/** The import of the website, read without the relay. */
async function importOf(websiteId: number): Promise<ImportRow | undefined> {
  const { rows } = await database.db.execute<ImportRow>(
    sql`select status, received from imports where website_id = ${websiteId}`,
  );
  return rows[0];
}

async function countRedirects(websiteId: number): Promise<number> {
  const { rows } = await database.db.execute<{ count: number }>(
    sql`select count(*)::int as count from redirects where website_id = ${websiteId}`,
  );
  return rows[0]?.count ?? 0;
}

/** Expects a 503 in time, an import that is recorded as failed, and no redirect; the next import works. */
async function expectFailed(account: TestAccount, websiteId: number, failed: Promise<Failed>): Promise<void> {
  const began = performance.now();
  const { status, retryAfter, body } = await failed;
  expect({ status, body }).toMatchObject({ status: 503, body: expect.stringContaining('DATABASE_UNAVAILABLE') });
  expect(retryAfter).toMatch(/^\d+$/);
  expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN_MS);
  if (!relay.isOpen()) await relay.open();
  await until(async () => (await importOf(websiteId))?.status === 'failed', 30_000);
  expect(await countRedirects(websiteId)).toBe(0);
  const redirects = [{ old_path: '/a', new_path: '/b' }];
  const next = { website_id: String(websiteId), redirects };
  await until(async () => (await account.keyCall('POST', '/api/v1/redirects/bulk', next)).status === 200, 30_000);
  expect(await countRedirects(websiteId)).toBe(1);
}

interface Failed {
  status: number | undefined;
  retryAfter: string | undefined;
  body: string;
}

test.each([
  ['passes nothing', silence],
  ['cuts its connections', cut],
  ['goes away', () => relay.close()],
])('bulk import: the database %s while its body arrives', async (_name, interrupt) => {
  const account = await detour.account();
  const websiteId = await newWebsite(account);
  const request = httpRequest(`${detour.address}/api/v1/redirects/bulk?website_id=${websiteId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/x-ndjson' },
  });
  const response = once(request, 'response') as Promise<[IncomingMessage]>;
  response.catch(() => {});
  let sent = 0;
  const send = async (): Promise<void> => {
    request.write(`{"old_path":"/p${sent++}","new_path":"/target"}\n`);
    await pause(20);
  };
  await until(async () => {
    await send();
    return (await importOf(websiteId))?.status === 'running' && sent > 20;
  }, 60_000);
  await interrupt();
  const responded = response.then(async ([{ statusCode: status, headers }]) => ({
    status,
    retryAfter: headers['retry-after'],
    body: await text((await response)[0]),
  }));
  for (let i = 0; i < 20; i++) await send();
  request.end();
  const result = await responded;
  // An import whose body pauses at the time of the cut holds no connection, and goes on with a new one.
  if (interrupt === cut && result.status === 200) expect(await countRedirects(websiteId)).toBe(sent);
  else await expectFailed(account, websiteId, responded);
});

test.each([
  ['passes nothing', silence],
  ['cuts its connections', cut],
])('CSV import: the database %s while the file is copied', async (_name, interrupt) => {
  const account = await detour.account();
  const websiteId = await newWebsite(account);
  const rows = Array.from({ length: CSV_ROWS }, (_, i) => `/p${i},/target\n`);
  const form = new FormData();
  form.set('website_id', String(websiteId));
  form.set('file', new Blob(['old_path,new_path\n', ...rows]), 'redirects.csv');
  const failed = account.call('POST', '/api/redirects/import', form).then(({ status, headers, text: body }) => ({
    status,
    retryAfter: headers.get('retry-after') ?? undefined,
    body,
  }));
  await until(async () => ((await importOf(websiteId))?.received ?? 0) > 0, 60_000);
  await interrupt();
  await expectFailed(account, websiteId, failed);
});

test.each([
  ['passes nothing', silence],
  ['cuts its connections', cut],
])('export: the transfer fails if the database %s', async (_name, interrupt) => {
  const account = await detour.account();
  const websiteId = await newWebsite(account);
  const redirects = Array.from({ length: 100_000 }, (_, i) => ({ old_path: `/p${i}`, new_path: '/target' }));
  const body = { website_id: String(websiteId), redirects };
  await until(async () => (await account.keyCall('POST', '/api/v1/redirects/bulk', body)).status === 200, 60_000);
  const response = await fetch(`${detour.address}/api/v1/redirects/bulk/export?website_id=${websiteId}`, {
    headers: { authorization: `Bearer ${account.key}` },
  });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  await reader.read();
  await interrupt();
  const began = performance.now();
  const readAll = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(readAll()).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN_MS);
});
