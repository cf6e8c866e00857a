/** Checks that deployments start, with the clock moved. Holds the rules of src/checks/automatic/start-check.ts. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dueStarts } from '../../../src/checks/automatic/due-starts.ts';
import { startCheck as startOne } from '../../../src/checks/automatic/start-check.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../support/site.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => void (detour = await sharedTestDetour()));
afterAll(() => detour.stop());

let sites = 0;
async function site(hosts = [`deployed-${++sites}.example`], checked = true): Promise<number> {
  owner = await detour.account();
  return createSite(owner, hosts, { auto_deploy: false, check_after_deployment: checked });
}
const deployedAt = async (id: number): Promise<number> => {
  const { rows } = await detour.db.execute<{ at: number }>(
    sql`select (extract(epoch from max(deployed_at)) * 1000)::float8 as at from versions where website_id = ${id}`,
  );
  return rows[0]?.at ?? 0;
};
/** Starts as of `ms` after the last deployment: for each start, whether a check was started. */
async function startAfter(id: number, ms: number): Promise<boolean[]> {
  const now = new Date((await deployedAt(id)) + ms);
  const due = (await dueStarts(detour.db, now)).filter(({ start }) => start.websiteId === id);
  return Promise.all(due.map(({ actor, start }) => startOne(detour.db, actor, start, { live: undefined, now })));
}
const checksOf = async (id: number) =>
  (await owner.keyCall('GET', `/api/v1/websites/${id}/checks`)).body.checks as Record<string, unknown>[];
const stop = async (id: number) => {
  for (const check of await checksOf(id))
    await owner.keyCall('DELETE', `/api/v1/websites/${id}/checks/${String(check['id'])}`);
};
const asked = async (id: number) => {
  const { rows } = await detour.db.execute<{ url: string }>(sql`
    select t.url from check_targets t where t.check_id = (
      select id from checks where website_id = ${id} order by created_at desc, id desc limit 1) order by t.n`);
  return rows.map(({ url }) => new URL(url).pathname);
};

test('a minute after a deployment, within 24 hours, one check of sources starts', async () => {
  const id = await site();
  await addRedirect(owner, id, { old_path: '/a', new_path: '/b' });
  await addRedirect(owner, id, { old_path: '/p/.*', new_path: '/q', is_regex: true });
  await deploy(owner, id);
  expect(await startAfter(id, 59 * SECOND)).toEqual([]);
  expect(await startAfter(id, 24 * HOUR + SECOND)).toEqual([]);
  const both = await Promise.all([startAfter(id, 61 * SECOND), startAfter(id, 61 * SECOND)]);
  expect(both.flat().filter(Boolean)).toEqual([true]);
  expect(await checksOf(id)).toMatchObject([
    {
      ...{ kind: 'sources', trigger: 'deployment', environment: 'production', created_by: { type: 'system' } },
      progress: { total: 1, postponed: 0 },
    },
  ]);
  await stop(id);
  expect(await startAfter(id, 62 * SECOND)).toEqual([]);
});

test('the sample has 200: changed since the former deployment, then the most hit', async () => {
  const id = await site();
  const redirects = Array.from({ length: 205 }, (_, n) => ({
    ...{ old_path: `/r${n}`, new_path: '/t', status_code: 301, target_environments: ['production'] },
  }));
  const added = await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(id), redirects });
  expect(added.status).toBe(200);
  await deploy(owner, id);
  expect(await startAfter(id, 61 * SECOND)).toEqual([true]);
  expect((await checksOf(id))[0]).toMatchObject({ progress: { total: 200, postponed: 5 } });
  await stop(id);

  await addRedirect(owner, id, { old_path: '/z-new', new_path: '/t' });
  await detour.db.execute(sql`
    insert into redirect_hits (website_id, environment, redirect_id, day, hits, bot_hits, micros, countries, visitors)
    select website_id, 'production', id, (now() at time zone 'UTC')::date, 7, 0, 0, '{}', ''
    from redirects
    where website_id = ${id} and old_path = '/r99'`);
  await deploy(owner, id);
  expect(await startAfter(id, 61 * SECOND)).toEqual([true]);
  const paths = await asked(id);
  expect(paths).toHaveLength(200);
  expect(paths).toContain('/z-new');
  expect(paths[0]).toBe('/r99');
});

test('a newer deployment replaces one that waits, and a running check delays it', async () => {
  const id = await site();
  await addRedirect(owner, id, { old_path: '/a', new_path: '/b' });
  await deploy(owner, id);
  await addRedirect(owner, id, { old_path: '/c', new_path: '/d' });
  await deploy(owner, id);
  expect(await startAfter(id, 59 * SECOND)).toEqual([]);
  await detour.db.execute(sql`
    insert into checks (id, account_id, website_id, environment, kind, status, rate, total, skipped, estimated_end,
      actor_type, actor_id, actor_name)
    values (${`chk_running${id}`}, ${owner.accountId}, ${id}, 'production', 'targets', 'running', 2, 1, 0, now(), 'system', '', 'system')`);
  expect(await startAfter(id, 61 * SECOND)).toEqual([]);
  await stop(id);
  expect(await startAfter(id, 61 * SECOND)).toEqual([true]);
  expect((await asked(id)).toSorted()).toEqual(['/a', '/c']);
});

test('without an exact verified host, or the option, nothing starts', async () => {
  const wildcard = await site(['*.deployed-wild.example']);
  await addRedirect(owner, wildcard, { old_path: '/a', new_path: '/b' });
  await deploy(owner, wildcard);
  expect(await startAfter(wildcard, 61 * SECOND)).toEqual([false]);
  expect(await startAfter(wildcard, 62 * SECOND)).toEqual([]);
  expect(await checksOf(wildcard)).toEqual([]);
  const off = await site(undefined, false);
  await addRedirect(owner, off, { old_path: '/a', new_path: '/b' });
  await deploy(owner, off);
  expect(await startAfter(off, 61 * SECOND)).toEqual([]);
});
