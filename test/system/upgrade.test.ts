/** Data of former schemas, through all later migrations: everything is served, listed and counted. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { migrate } from '../../src/db/migrate.ts';
import { testClock } from '../support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, startTestDetour, type TestDetour } from '../support/detour.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
/** The key that the service of that time printed at its first start. */
const API_KEY = 'dtr_3YZwIbGxKo6xpst9Rap7I26T01DpykjCWAkCrhuagZM4IMrwj';
/** The day after the fixtures were written, so that nothing is too old to be retained. */
const TODAY = '2026-11-23T12:00:00.000Z';
const Journal = z.looseObject({ entries: z.array(z.looseObject({ idx: z.number() })) });

/** An empty database, migrated up to this migration and filled with its fixture, then migrated to today's schema. */
async function upgradedFrom(migration: number): Promise<FreshDatabase> {
  const database = await freshDatabase({ isMigrated: false });
  const folder = mkdtempSync(join(tmpdir(), 'detour-upgrade-'));
  cpSync(join(ROOT, 'migrations'), folder, { recursive: true });
  const journal = join(folder, 'meta', '_journal.json');
  const { entries, ...rest } = Journal.parse(JSON.parse(readFileSync(journal, 'utf8')));
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.filter(({ idx }) => idx <= migration) }));
  await migrate(database.db, folder);
  rmSync(folder, { recursive: true });
  const fixture = `after-${String(migration).padStart(4, '0')}.sql`;
  await database.db.execute(sql.raw(readFileSync(join(ROOT, 'test', 'fixtures', 'upgrade', fixture), 'utf8')));
  await migrate(database.db);
  return database;
}

/** [path of shop.example, status, Location] of the redirects that every fixture has live in production */
const SERVED: [string, number, string | undefined][] = [
  ['/sale', 301, '/summer'],
  ['/gone', 410, undefined],
  ['/blog/7', 301, '/articles/7'],
  ['/old-1', 301, '/new-1'],
  ['/old-2', 302, '/new-2'],
  ['/draft', 404, undefined],
  ['/deleted', 404, undefined],
];

describe.each([0, 5])('data of the schema of migration %i', (migration) => {
  let detour: TestDetour;
  let cookie: Record<string, string>;
  const get = async (path: string): Promise<unknown> =>
    (await send(detour.address, 'GET', path, undefined, cookie)).body;

  beforeAll(async () => {
    const database = await upgradedFrom(migration);
    detour = await startTestDetour({}, { database, clock: testClock(TODAY) });
    cookie = await sessionAt(detour.address);
  });
  afterAll(() => detour.stop());

  test.each(SERVED)('%s is served as before: %i', async (path, status, location) => {
    expect(await detour.visit('shop.example', path)).toMatchObject({ status, location });
  });

  test('staging has its own version', async () => {
    expect(await detour.visit('staging.shop.example', '/draft')).toMatchObject({ status: 301, location: '/later' });
  });

  test('redirects, deployments, imports and events are listed', async () => {
    const pattern = { old_path: '/blog/(\\d+)', is_regex: true, notes: 'first pattern', group_id: 'blog' };
    expect(await get('/api/redirects?website_id=2&limit=100')).toMatchObject({
      redirects: expect.arrayContaining([expect.objectContaining(pattern)]),
    });
    expect(await get('/api/deployments?website_id=2&limit=100')).toMatchObject({
      deployments: expect.arrayContaining([expect.objectContaining({ version: 6, status: 'completed' })]),
    });
    expect(await get('/api/events?website_id=2&limit=100')).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ event: 'redirect.updated' })]),
    });
    expect(await get('/api/imports/imp_dpxRiblDLjitfFegko0vOV')).toMatchObject({ import: { status: 'completed' } });
  });

  test('each website has the number of its redirects', async () => {
    const { rows } = await detour.db.execute(sql`
      select w.redirects, (select count(*)::int from redirects r where r.website_id = w.id) as stored from websites w`);
    expect(rows).toContainEqual({ redirects: expect.any(Number), stored: expect.any(Number) });
    for (const { redirects, stored } of rows) expect(redirects).toBe(stored);
  });

  test('a change is stored, deployed and served', async () => {
    const redirect = { website_id: 2, old_path: '/after', new_path: '/upgrade', target_environments: 'staging' };
    expect((await send(detour.address, 'POST', '/api/redirects', redirect, cookie)).status).toBe(201);
    await expect
      .poll(() => detour.visit('staging.shop.example', '/after'), { timeout: 30_000 })
      .toMatchObject({ status: 301 });
  });

  test('a rollback to a version before the upgrade restores its rules', async () => {
    const body = { website_id: 2, environment: 'production', version: 6 };
    expect((await send(detour.address, 'POST', '/api/deployments/rollback', body, cookie)).status).toBe(202);
    await expect
      .poll(() => detour.visit('shop.example', '/deleted'), { timeout: 30_000 })
      .toMatchObject({ status: 301, location: '/x' });
  });
});

test('hits, unmatched paths, API keys and webhooks of the schema of migration 5 are counted and listed', async () => {
  const database = await upgradedFrom(5);
  const detour = await startTestDetour({}, { database, clock: testClock(TODAY) });
  const headers = { authorization: `Bearer ${API_KEY}`, ...(await sessionAt(detour.address)) };
  const get = async (path: string): Promise<unknown> =>
    (await send(detour.address, 'GET', path, undefined, headers)).body;
  expect(await get('/api/v1/analytics/overview?website_id=2&environment=production&period=7d')).toMatchObject({
    total_hits: 15,
    unique_visitors: 1,
    not_found: 3,
  });
  expect(await get('/api/websites/2/not-found')).toMatchObject({ paths: [{ path: '/nothing-here', hits: 3 }] });
  expect(await get('/api/webhooks')).toMatchObject({ webhooks: [{ name: 'bad', pending: 1 }, { name: 'ok' }] });
  await detour.stop();
});

async function sessionAt(address: string): Promise<{ cookie: string }> {
  const answer = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  expect(answer.status).toBe(200);
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}
