/** Large exports: constant memory, no blocking of other requests, and no leaks after an abort. */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const COUNT = 200_000;
/** Several batches of the export, for the formats that share its stream. */
const FEWER = 20_000;

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;
let smallerId: number;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  websiteId = await siteWith('large.example.com', COUNT);
  smallerId = await siteWith('smaller.example.com', FEWER);
});
afterAll(() => detour.stop());

async function siteWith(host: string, count: number): Promise<number> {
  const id = await createSite(owner, [host], { auto_deploy: false });
  await detour.db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, notes, rev, in_prod)
    select ${id}, path, path, '/new' || path, 301, false, repeat('n', 100), 1, 1
    from (select '/section/page-' || i as path from generate_series(1, ${count}) i) paths`);
  return id;
}

function startExport(format: string, id = websiteId): Promise<IncomingMessage> {
  const { hostname, port } = new URL(detour.address);
  const path = `/api/v1/redirects/bulk/export?website_id=${id}&format=${format}&version=draft`;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      path,
      headers: { authorization: `Bearer ${owner.key}` },
      agent: false,
    });
    request.on('response', resolve).on('error', reject).end();
  });
}

/** Reads to the end and keeps nothing but a count of lines or entries, and the last characters. */
async function readAll(response: IncomingMessage, mark: string): Promise<{ marks: number; end: string }> {
  let marks = 0;
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    const text = rest + chunk;
    const pieces = text.split(mark);
    marks += pieces.length - 1;
    rest = (pieces.at(-1) ?? '').slice(-200);
  }
  return { marks, end: rest };
}

async function openStreams(): Promise<{ wait_event: string | null }[]> {
  const { rows } = await detour.db.execute<{ wait_event: string | null }>(sql`
    select wait_event from pg_stat_activity
    where datname = current_database() and query like 'copy (select r.id%' and state <> 'idle'`);
  return rows;
}

async function eventCount(): Promise<number> {
  const { rows } = await detour.db.execute(
    sql`select 1 from events where website_id = ${websiteId} and event = 'bulk_export.completed'`,
  );
  return rows.length;
}

test('200,000 redirects come whole, with less than 80 MB more memory than before', async () => {
  await readAll(await startExport('json'), '"old_path"');
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  const { marks, end } = await readAll(await startExport('json'), '"old_path"');
  clearInterval(watch);
  expect(marks).toBe(COUNT);
  expect(end).toMatch(new RegExp(`\\],"total_count":${COUNT},"exported_at":"[^"]+"\\}$`));
  expect((peak - before) / 1_048_576).toBeLessThan(80);
});

test.each(['csv', 'ndjson', 'nginx', 'apache', 'netlify', 'vercel', 'cloudflare', 'caddy'])(
  '%s gives all 20,000 as well',
  async (format) => {
    const { marks } = await readAll(await startExport(format, smallerId), '/new/section/page-');
    expect(marks).toBe(['csv', 'ndjson', 'netlify', 'apache'].includes(format) ? FEWER : 2 * FEWER);
  },
);

test('a reader that pauses makes the database wait, and gets everything when it goes on', async () => {
  const response = await startExport('ndjson');
  response.pause();
  await until(async () => (await openStreams()).some((each) => each.wait_event === 'ClientWrite'));
  const events = await eventCount();
  const { marks } = await readAll(response, '\n');
  expect(marks).toBe(COUNT);
  expect(await eventCount()).toBe(events + 1);
});

test('a reader that leaves ends the export: no connection stays, and there is no event', async () => {
  const events = await eventCount();
  const response = await startExport('json');
  response.pause();
  await until(async () => (await openStreams()).length > 0);
  response.on('error', () => {});
  response.destroy();
  await until(async () => (await openStreams()).length === 0);
  expect(await eventCount()).toBe(events);
});

test('an export that breaks off is a broken connection, never a shorter file', async () => {
  const events = await eventCount();
  const response = await startExport('ndjson');
  response.pause();
  await until(async () => (await openStreams()).some((each) => each.wait_event === 'ClientWrite'));
  await detour.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'copy (select r.id%' and pid <> pg_backend_pid()`);
  await expect(readAll(response, '\n')).rejects.toThrow();
  expect(await eventCount()).toBe(events);
});
