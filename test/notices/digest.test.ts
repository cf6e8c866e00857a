/** The data of the weekly digest, from rows that the service and its counters write. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDigest } from '../../src/notices/digest.ts';
import { DAY_MS, isoSeconds, utcDay } from '../../src/platform/clock.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { missingPath, redirectDay, websiteDay } from '../support/hits.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';

const NOW = new Date();
const day = (ahead: number): string => utcDay(NOW, ahead);
/** The week that ends today. */
const WEEK = { from: day(-6), to: day(0) };
/** A moment so many hours after the end of the week. */
const after = (hours: number): string => isoSeconds(new Date(Date.parse(`${day(1)}T00:00:00Z`) + hours * 3_600_000));

let detour: TestDetour;
beforeAll(async () => {
  detour = await sharedTestDetour();
});
afterAll(() => detour.stop());

const digestOf = ({ accountId }: TestAccount, websiteIds: number[] | null = null) =>
  readDigest(detour.db, { accountId }, websiteIds, WEEK);
const siteOf = (owner: TestAccount, name: string): Promise<number> => createSite(owner, [], { name });
/** Stores hits of redirects of a website on a day, with their sum. */
async function hitsOn(websiteId: number, on: string, hits: Record<number, number>): Promise<void> {
  const sum = Object.values(hits).reduce((total, each) => total + each, 0);
  await websiteDay(detour.db, { websiteId, day: on, hits: sum, botHits: 1_000 });
  for (const [id, each] of Object.entries(hits)) {
    await redirectDay(detour.db, { websiteId, redirectId: Number(id), day: on, hits: each, botHits: 1_000 });
  }
}

test('an account without anything has an empty digest', async () => {
  const owner = await detour.account();
  expect(await digestOf(owner)).toEqual({
    ...WEEK,
    hits: 0,
    hitsBefore: 0,
    websiteCount: 0,
    websites: [],
    topRedirects: [],
    newUnmatched: [],
    endsSoon: [],
    endsSoonCount: 0,
    changes: [],
  });
});

test('hits by people of the week and of the week before, by website, and the redirects with the most of them', async () => {
  const owner = await detour.account('pro');
  const [shop, blog] = [await siteOf(owner, 'Shop'), await siteOf(owner, 'Blog')];
  const ids = [];
  for (const path of ['/a', '/b', '/c', '/d']) {
    ids.push(await addRedirect(owner, shop, { old_path: path, new_path: '/to' }));
  }
  const [a = 0, b = 0, c = 0, d = 0] = ids;
  const news = await addRedirect(owner, blog, { old_path: '/news', new_path: '/to' });
  const posts = await addRedirect(owner, blog, { old_path: '/posts', new_path: '/to' });
  await hitsOn(shop, day(-7), { [a]: 900 });
  await hitsOn(shop, day(-6), { [a]: 20, [b]: 50 });
  await hitsOn(shop, day(0), { [a]: 40, [c]: 5, [d]: 2 });
  await hitsOn(blog, day(-13), { [news]: 7 });
  await hitsOn(blog, day(-14), { [news]: 10_000 });
  await hitsOn(blog, day(-3), { [news]: 55, [posts]: 3 });
  await websiteDay(detour.db, { websiteId: blog, day: day(-3), hits: 5_000, environment: 'staging' });
  // Deleted: its hits count, it is not listed.
  await hitsOn(shop, day(-2), { 999_999_999: 70 });
  const other = await detour.account();
  await hitsOn(await siteOf(other, 'Of another account'), day(-3), { 1: 77 });

  expect(await digestOf(owner)).toMatchObject({
    hits: 117 + 70 + 58,
    hitsBefore: 900 + 7,
    websiteCount: 2,
    websites: [
      { website: 'Shop', hits: 187, before: 900 },
      { website: 'Blog', hits: 58, before: 7 },
    ],
    topRedirects: [
      { website: 'Shop', path: '/a', hits: 60 },
      { website: 'Blog', path: '/news', hits: 55 },
      { website: 'Shop', path: '/b', hits: 50 },
      { website: 'Shop', path: '/c', hits: 5 },
      { website: 'Blog', path: '/posts', hits: 3 },
    ],
  });
  expect(await digestOf(owner, [blog])).toMatchObject({
    hits: 58,
    websiteCount: 1,
    websites: [{ website: 'Blog' }],
    topRedirects: [{ path: '/news' }, { path: '/posts' }],
    changes: [{ changes: 2 }],
  });
  expect((await digestOf(owner, [])).websites).toEqual([]);
  const { rows } = await detour.db.execute<{ id: number }>(
    sql`select id from websites where name = 'Of another account'`,
  );
  expect((await digestOf(owner, [rows[0]?.id ?? 0])).websites).toEqual([]);
});

test('of more than ten websites, those with the most hits are listed and all are counted', async () => {
  const owner = await detour.account('pro');
  for (let n = 1; n <= 12; n++) await hitsOn(await siteOf(owner, `Website ${n}`), day(-1), { 1: n });
  const { websites, websiteCount, hits } = await digestOf(owner);
  expect(websites.map(({ website }) => website)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `Website ${n}`));
  expect([websiteCount, hits]).toEqual([12, 78]);
});

test('unmatched paths count if people requested them for the first time in the week', async () => {
  const owner = await detour.account('pro');
  const shop = await siteOf(owner, 'Shop');
  const missing = (path: string, hits: number, row: Partial<Parameters<typeof missingPath>[1]> = {}) =>
    missingPath(detour.db, { websiteId: shop, path, hits, lastSeenAt: `${day(-2)}T10:00:00Z`, ...row });
  for (const n of [1, 2, 3, 4, 5, 6]) await missing(`/new-${n}`, n * 10);
  await missing('/first-second', 500, { lastSeenAt: `${day(-6)}T00:00:00Z` });
  await missing('/older', 600, { lastSeenAt: `${day(-7)}T23:59:59Z` });
  await missing('/bots', 0, { botHits: 700 });
  await missing('/.env', 800, { noise: true });
  await missing('/staging', 900, { environment: 'staging' });
  await missing('/ignored', 950);
  await detour.db.execute(sql`update not_found set ignored_at = now() where path = '/ignored'`);
  const { newUnmatched } = await digestOf(owner);
  expect(newUnmatched).toEqual([
    { website: 'Shop', path: '/first-second', hits: 500 },
    ...[60, 50, 40, 30].map((hits) => ({ website: 'Shop', path: `/new-${hits / 10}`, hits })),
  ]);
});

test('live redirects whose window ends in the 7 days after the week: five are listed, all are counted', async () => {
  const owner = await detour.account('pro');
  const shop = await siteOf(owner, 'Shop');
  const ending = (path: string, until: string) =>
    addRedirect(owner, shop, { old_path: path, new_path: '/to', active_until: until });
  for (const hours of [7, 6, 5, 4, 3, 2, 1]) await ending(`/in-${hours}`, after(hours));
  await ending('/at-once', after(0));
  await ending('/too-late', after(7 * 24));
  await addRedirect(owner, shop, { old_path: '/always', new_path: '/to' });
  await settled(owner, shop);
  const manual = await createSite(owner, [], { name: 'Manual', auto_deploy: false });
  await addRedirect(owner, manual, { old_path: '/not-live', new_path: '/to', active_until: after(1) });
  const { endsSoon, endsSoonCount } = await digestOf(owner);
  expect(endsSoonCount).toBe(8);
  expect(endsSoon).toEqual(
    ['/at-once', '/in-1', '/in-2', '/in-3', '/in-4'].map((path, hours) => ({
      website: 'Shop',
      path,
      at: after(hours),
    })),
  );
});

test('who changed redirects: by user and key, with the changes and redirects of the week', async () => {
  const owner = await detour.account('pro');
  const shop = await siteOf(owner, 'Shop');
  await addRedirect(owner, shop, { old_path: '/a', new_path: '/to' });
  await addRedirect(owner, shop, { old_path: '/b', new_path: '/to' });
  const old = await detour.db.execute(sql`
    update changes set created_at = ${new Date(NOW.getTime() - 8 * DAY_MS).toISOString()}::timestamptz
    where id = (select id from changes where website_id = ${shop} order by revision limit 1)`);
  expect(old.rowCount).toBe(1);
  await detour.db.execute(sql`
    insert into changes (id, website_id, revision, kind, created, updated, deleted, first_id, last_id, actor_type, actor_id, actor_name)
    values ('chg_1', ${shop}, 900, 'import', 1000, 200, 34, 1, 1, 'key', '5', 'CI'),
      ('chg_2', ${shop}, 901, 'update', 0, 1, 0, 1, 1, 'key', '5', 'CI')`);
  const { changes } = await digestOf(owner);
  expect(changes).toEqual([
    { by: 'CI', changes: 2, redirects: 1_235 },
    { by: owner.email, changes: 1, redirects: 1 },
  ]);
});
