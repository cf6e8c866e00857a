import { poolSizes } from '../../src/db/connection/pool-sizes.ts';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBulkThread, createJobs } from '../../src/jobs/bulk-thread.ts';
import { createRulesets } from '../../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../../src/jobs/ruleset-jobs.ts';
import type { Jobs } from '../../src/http/jobs.ts';
import type { JobThread } from '../../src/platform/jobs/thread.ts';
import { abandonImport, cleanUpImports } from '../../src/redirects/import/engine/import-record.ts';
import { openDatabase } from '../../src/db/connection/client.ts';
import { registerInstance } from '../../src/db/instance.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { until } from '../support/wait.ts';

let app: TestApp;
let database: FreshDatabase;
let owner: TestOwner;
let thread: JobThread;
let jobs: Jobs;
let websiteId: string;
let instance: Awaited<ReturnType<typeof registerInstance>>;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const { db, url } = database;
  app = await startTestApp({ database });
  owner = await app.account();
  const cookie = await app.cookieOf(owner.email);
  const created = await app.call('POST', '/api/websites', { cookie, body: { name: 'shop' } });
  websiteId = String(created.json<{ website: { id: number } }>().website.id);
  instance = await registerInstance(url, () => {});
  const entry = new URL('../jobs/bulk-worker.ts', import.meta.url);
  thread = createBulkThread(
    {
      databaseUrl: url,
      readUrl: null,
      instanceId: instance.id,
      pools: poolSizes({ role: 'all', processes: 1, databaseConnections: null }).bulk,
      hits: { geoipDb: null, secretKey: null, previousSecretKey: null, retentionDays: 400 },
      egress: 'private',
      checks: { egress: 'private', publicUrl: 'http://localhost:3000' },
    },
    (error) => errors.push(error),
    entry,
  );
  const rulesets = createRulesets(db, prepareRulesFrom(db));
  jobs = createJobs({ thread, db, rulesets, clock: app.clock, committed: () => {}, metrics: new Registry() });
});

afterAll(async () => {
  await thread.close();
  await instance.stop();
  await app.close();
  await database.close();
});

const entries = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ old_path: `/p${from + i}`, new_path: '/t' }));

const exit = () => thread.run('exit', null).catch(() => {});

async function rows<Row extends Record<string, unknown>>(query: ReturnType<typeof sql>): Promise<Row[]> {
  return (await database.db.execute<Row>(query)).rows as Row[];
}

const stages = () => rows(sql`select relname from pg_class where relname like 'import_stage_%' and relkind = 'r'`);
const redirects = async () => (await rows<{ count: number }>(sql`select count(*)::int as count from redirects`))[0];
const lastImport = async () =>
  (
    await rows<{ status: string; error: string | null }>(
      sql`select status, error from imports order by created_at desc limit 1`,
    )
  )[0];

test('an import that was still reading is undone and recorded as failed, and the next one works', async () => {
  const more = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from(`{"website_id":"${websiteId}","redirects":${JSON.stringify(entries(0, 5_000)).slice(0, -1)}`);
    await more.promise;
  }
  const failed = jobs.importJson(owner.actor, body());
  const result = expect(failed).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    details: expect.stringContaining('check whether it was applied'),
  });
  await until(async () => (await stages()).length === 1);
  await exit();
  await result;
  more.resolve();
  expect(await lastImport()).toMatchObject({ status: 'failed', error: expect.stringMatching(/nothing was applied/) });
  expect(await redirects()).toEqual({ count: 0 });
  expect(errors).toHaveLength(1);

  const next = await jobs.importJson(owner.actor, bodyOf(entries(0, 10)));
  expect(next).toMatchObject({ created: 10, errorCount: 0 });
});

test('an import that was merging is undone, and its table is dropped by the next cleaning', async () => {
  const before = await redirects();
  const blocker = await database.db.$client.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from websites where id = $1 for update', [Number(websiteId)]);
  const failed = jobs.importJson(owner.actor, bodyOf(entries(100, 1_000)));
  const result = expect(failed).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  await until(async () => (await rows(sql`select 1 from pg_locks where not granted`)).length > 0);
  await exit();
  await result;
  await blocker.query('commit');
  blocker.release();
  expect(await lastImport()).toMatchObject({ status: 'failed' });
  await rows(sql`update imports set completed_at = completed_at - interval '11 minutes'`);
  await until(async () => {
    await cleanUpImports(database.db);
    return (await stages()).length === 0;
  });
  expect(await redirects()).toEqual(before);
});

test('a failure that cannot be recorded while the database is away is recorded by the next cleaning', async () => {
  await rows(sql`
    insert into imports (id, account_id, source, status, owner, created_at)
    values ('imp_unrecorded', ${owner.actor.accountId}, 'api', 'running', ${instance.id}, clock_timestamp())`);
  const away = openDatabase('postgres://unknown@127.0.0.1:1/none', { max: 1 });
  await expect(abandonImport(away, owner.actor, 'imp_unrecorded')).rejects.toThrow();
  expect(await lastImport()).toMatchObject({ status: 'running' });
  await cleanUpImports(database.db);
  expect(await lastImport()).toMatchObject({ status: 'failed', error: expect.stringMatching(/nothing was applied/) });
  await away.$client.end();
});

test('an export in progress fails instead of ending early', async () => {
  await jobs.importJson(owner.actor, bodyOf(entries(10_000, 60_000)));
  const chunks = jobs.exportRedirects(owner.actor, {
    websiteId: Number(websiteId),
    format: 'json',
    filter: {},
    filters: {},
    environment: undefined,
    version: 'draft',
    lossy: false,
  });
  await chunks.next();
  await exit();
  await expect(
    (async () => {
      for await (const chunk of chunks) void chunk;
    })(),
  ).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});

async function* bodyOf(redirectEntries: object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify({ website_id: websiteId, redirects: redirectEntries }));
}
