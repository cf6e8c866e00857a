/** Repeated `kill -9` during pushes, commits and checks of URLs: a list is exactly that of before, or exactly the new one. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { storeAccount } from '../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, type TestAccount } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/wait.ts';

const URLS = 30_000;
/** of them, those that each other state of the list lacks, and has instead */
const CHANGED = 10_000;
const ROUNDS = Number(process.env['KILLS'] ?? 6);
const SEED = Number(process.env['KILL_SEED'] ?? 1);

let database: FreshDatabase;
let workshop: Workshop;
let service: ServiceProcess;
let port: number;
let key: string;
let site: string;
const random = seeded(SEED);
/** where kills hit: whether the work was stored, by what was killed */
const hits: Record<string, number> = {};

const address = () => `http://127.0.0.1:${port}`;
const call: TestAccount['keyCall'] = (method, path, body) =>
  send(address(), method, `/api/v1/websites${path}`, body, { authorization: `Bearer ${key}` });

async function start(): Promise<void> {
  service = workshop.start({
    DATABASE_URL: database.url,
    PORT: String(port),
    PUBLIC_URL: address(),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  await service.ready;
}

/** Kills the service after a time, and starts it when its statements have ended. */
async function killAfter(ms: number): Promise<void> {
  await pause(ms);
  service.signal('SIGKILL');
  await service.ended;
  await until(
    async () =>
      (
        await rows(`select from pg_stat_activity where datname = current_database()
    and pid <> pg_backend_pid() and state <> 'idle' and backend_type = 'client backend'`)
      ).length === 0,
    60_000,
  );
  await start();
}

const rows = async (text: string) => (await database.db.$client.query(text)).rows;

/** All that a push may change, and that must stay together; throws if the counts do not fit the rows. */
async function state() {
  const [found] = await rows(`
    select (select md5(string_agg(url || ' ' || lists::text || (removed_production is null), E'\\n' order by url)) from urls
        where sources & 1 = 1) as urls,
      (select count(*)::int from urls where cardinality(lists) > 0) as living,
      (select count(*)::int from urls) as stored, (select urls from url_counts) as counted,
      (select version from url_lists) as version, (select total from url_lists) as total,
      (select max(version) from url_list_versions) as newest,
      (select count(*)::int from url_list_changes where version > (select version from url_lists)) as stray`);
  expect(found).toMatchObject({ counted: found.stored, total: found.living, newest: found.version, stray: 0 });
  return found;
}

const noStages = async (): Promise<boolean> =>
  (await rows(`select from pg_class where relname ~ '^url_stage_'`)).length === 0;

const listOf = (isOdd: boolean): string[] =>
  Array.from({ length: URLS }, (_, i) => (i < CHANGED && isOdd ? `/new/${i}` : `/page/${i}`));
const push = (list: string[]) => call('PUT', `/${site}/urls/living?max_removed=100%25`, list);

/** Runs `work` and kills the service at a moment of it, or just after the end that an earlier run took. */
async function killed(name: string, work: () => Promise<unknown>, usualMs: number): Promise<boolean> {
  const before = await state();
  const failed = work().catch(() => {});
  await killAfter((0.3 + 0.9 * random()) * usualMs);
  await failed;
  const after = await state();
  const isStored = after.version !== before.version;
  if (!isStored) expect(after).toEqual(before);
  hits[`${name} ${isStored ? 'stored' : 'undone'}`] = (hits[`${name} ${isStored ? 'stored' : 'undone'}`] ?? 0) + 1;
  return isStored;
}

async function timed(work: () => Promise<{ status: number }>): Promise<number> {
  const began = performance.now();
  expect((await work()).status).toBe(200);
  return performance.now() - began;
}

beforeAll(async () => {
  database = await freshDatabase();
  const { actor } = await storeAccount(database.db, { email: 'owner@example.com', plan: 'enterprise' });
  ({ key } = await createApiKey(database.db, actor, { name: 'test' }, systemClock.now()));
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
  await start();
  const hosts = [{ hostname: 'killed.example', environment: 'production' }];
  site = (await call('POST', '', { name: 'killed', hosts })).body.website.id;
}, 300_000);

afterAll(async () => {
  await workshop.clear();
  await database.close();
});

const CHANGE = { total: URLS, unchanged: URLS - CHANGED, removed: CHANGED, merged: 0, ignored: 0, invalid: 0 };

test('a push is stored or undone, and a repeated one has the counts of what is left', async () => {
  expect((await push(listOf(false))).body.urls.added).toBe(URLS);
  expect((await push(listOf(true))).status).toBe(200);
  const odd = await state();
  const usualMs = await timed(() => push(listOf(false)));
  const even = await state();
  let isOdd = false;
  for (let round = 0; round < ROUNDS; round++) {
    isOdd = !isOdd;
    const isStored = await killed('push', () => push(listOf(isOdd)), usualMs);
    const again = await push(listOf(isOdd));
    expect(again.status).toBe(200);
    expect(again.body.urls).toMatchObject(
      isStored
        ? { ...CHANGE, unchanged: URLS, removed: 0, added: 0, revived: 0 }
        : { ...CHANGE, added: 0, revived: CHANGED },
    );
    expect((await state()).urls).toBe((isOdd ? odd : even).urls);
  }
});

test('a commit is stored once, or its upload stays open', async () => {
  const open = async (list: string[]): Promise<string> => {
    const { body } = await call('POST', `/${site}/urls/uploads`, {});
    const half = list.length / 2;
    for (const [part, from] of [0, half].entries()) {
      const sent = await call(
        'POST',
        `/${site}/urls/uploads/${body.upload.id}/parts?part=${part + 1}`,
        list.slice(from, from + half),
      );
      expect(sent.status).toBe(200);
    }
    return body.upload.id;
  };
  const commit = (id: string) => call('POST', `/${site}/urls/uploads/${id}/commit?max_removed=100%25`);
  expect((await push(listOf(false))).status).toBe(200);
  const first = await open(listOf(true));
  const usualMs = await timed(() => commit(first));
  let isOdd = true;
  for (let round = 0; round < ROUNDS; round++) {
    isOdd = !isOdd;
    const id = await open(listOf(isOdd));
    const isStored = await killed('commit', () => commit(id), usualMs);
    const again = await commit(id);
    if (isStored) expect(again).toMatchObject({ status: 404, body: { code: 'UPLOAD_NOT_FOUND' } });
    else expect(again).toMatchObject({ status: 200, body: { urls: { ...CHANGE, revived: CHANGED } } });
    expect(await rows('select from url_upload_rows')).toEqual([]);
  }
});

test('a part is stored or not, and sent again replaces itself', async () => {
  const list = listOf(true);
  const { body } = await call('POST', `/${site}/urls/uploads`, {});
  const part = (n: number) => call('POST', `/${site}/urls/uploads/${body.upload.id}/parts?part=${n}`, list);
  const usualMs = await timed(() => part(1));
  for (let round = 0; round < ROUNDS / 2; round++) {
    await killed('part', () => part(1), usualMs);
    const [stored] = await rows('select count(*)::int as rows, count(distinct url)::int as urls from url_upload_rows');
    expect(stored).toEqual({ rows: URLS, urls: URLS });
  }
  expect((await part(1)).body.part).toBe(1);
  const done = await call('POST', `/${site}/urls/uploads/${body.upload.id}/commit?max_removed=100%25`);
  expect(done.body.urls).toMatchObject({ total: URLS, merged: 0 });
});

test('a check changes nothing, and the former state of the list can be restored', async () => {
  expect((await push(listOf(false))).status).toBe(200);
  const before = await state();
  expect((await push(listOf(true))).status).toBe(200);
  const check = () => call('POST', `/${site}/urls/check?living=body&suggest=100`, listOf(false));
  const usualMs = await timed(check);
  for (let round = 0; round < ROUNDS / 2; round++) expect(await killed('check', check, usualMs)).toBe(false);
  expect((await check()).body.check).toMatchObject({ urls: URLS + CHANGED, living: URLS, lost: CHANGED });
  const restored = await call('POST', `/${site}/urls/restore`, { list: 'main', list_version: before.version });
  expect(restored.body.urls).toMatchObject({ total: URLS, added: CHANGED, removed: CHANGED });
  expect((await state()).urls).toBe(before.urls);
  await until(noStages, 30_000);
  console.log(`seed ${SEED}: ${JSON.stringify(hits)}`);
});
