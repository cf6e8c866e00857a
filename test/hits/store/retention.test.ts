import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMonthlyPartitions } from '../../../src/hits/store/monthly-partitions.ts';
import { purgeHits } from '../../../src/hits/store/retention.ts';
import { purgeDeletedWebsites } from '../../../src/websites/delete.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database?.close());

const query = async <Row>(text: string): Promise<Row[]> => (await database.db.$client.query(text)).rows as Row[];

async function partitions(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent in ('website_hits'::regclass, 'redirect_hits'::regclass) order by 1",
  );
  return rows.map(({ name }) => name);
}

async function hitsOn(websiteId: number, days: string[]): Promise<void> {
  for (const day of days) {
    await createMonthlyPartitions(database.db, day);
    await query(`insert into website_hits values (${websiteId}, 'production', '${day}', 1, 0, 0, '{}', '', 0, 0)`);
    await query(`insert into redirect_hits values (${websiteId}, 1, 'production', '${day}', 1, 0, 0, '{}', '')`);
  }
}

const daysLeft = async (table: string): Promise<string[]> =>
  (await query<{ day: string }>(`select distinct day::text as day from ${table} order by 1`)).map(({ day }) => day);

test('drops a month once its last day is past the retention, and creates the coming months', async () => {
  await hitsOn(1, ['2029-12-31', '2030-01-01', '2030-01-31', '2030-02-01']);
  // 60 days before 1 April is 31 January.
  await purgeHits(database.db, new Date('2030-04-01T00:00:00Z'), 60);
  expect(await daysLeft('website_hits')).toEqual(['2030-01-01', '2030-01-31', '2030-02-01']);
  await purgeHits(database.db, new Date('2030-04-02T00:00:00Z'), 60);
  expect(await daysLeft('website_hits')).toEqual(['2030-02-01']);
  expect(await daysLeft('redirect_hits')).toEqual(['2030-02-01']);
  const months = ['203002', '203004', '203005', '203006'];
  expect(await partitions()).toEqual(
    ['redirect_hits', 'website_hits'].flatMap((table) => months.map((month) => `${table}_${month}`)),
  );
});

test('purges old unmatched paths, and the last hits of deleted redirects', async () => {
  await query(`insert into redirects (website_id, id, key, old_path, new_path, status_code, is_regex, rev)
    values (5, 1, '/a', '/a', '/b', 301, false, 1)`);
  await query(`insert into redirect_activity
    select 5, id, 'production', '2030-01-01', '2030-01-01' from generate_series(1, 2) id`);
  await query(`insert into not_found select 5, 'production', '/' || month, 1, 0, false, null, seen, seen
    from (values (1, timestamptz '2030-01-01'), (3, timestamptz '2030-03-01')) as t (month, seen)`);
  await purgeHits(database.db, new Date('2030-04-01T00:00:00Z'), 60);
  expect(await query('select path from not_found')).toEqual([{ path: '/3' }]);
  expect(await query('select redirect_id from redirect_activity')).toEqual([{ redirect_id: 1 }]);
});

test('purges requests by name with their day', async () => {
  await query(`insert into named_hits select 5, 'production', day, 'GPTBot', 1, 0
    from (values (date '2030-01-30'), (date '2030-01-31')) as t (day)`);
  await purgeHits(database.db, new Date('2030-04-01T00:00:00Z'), 60);
  expect(await daysLeft('named_hits')).toEqual(['2030-01-31']);
});

test('remembers the batches of an agent for 30 days after the last one', async () => {
  await query(`insert into hit_reports
    select 5, 'production', 'edge-' || day, 'a', 1, seen
    from (values (1, timestamptz '2030-03-01'), (3, timestamptz '2030-03-03')) as t (day, seen)`);
  await purgeHits(database.db, new Date('2030-04-01T00:00:00Z'), 60);
  expect(await query('select agent from hit_reports')).toEqual([{ agent: 'edge-3' }]);
});

test('concurrent calls create the partitions of a month once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => createMonthlyPartitions(database.db, '2040-02-29')));
  expect((await partitions()).filter((name) => name.endsWith('204002'))).toHaveLength(2);
});

test('purges the hits of a deleted website, and of no other', async () => {
  await query("insert into accounts (plan) values ('pro')");
  await query(
    "insert into websites (account_id, name, deleting_since) select max(id), 'gone', now() - interval '1 hour' from accounts",
  );
  const [gone] = await query<{ id: number }>("select id from websites where name = 'gone'");
  const id = gone?.id ?? 0;
  // First rows of several partitions, which have the same ctid.
  await hitsOn(id, ['2041-01-01', '2041-02-01']);
  await hitsOn(id + 1, ['2041-03-01', '2041-04-01']);
  await query(`insert into not_found values (${id}, 'production', '/x', 1, 0, false, null, now(), now())`);
  while (await purgeDeletedWebsites(database.db));
  for (const table of ['website_hits', 'redirect_hits', 'not_found'])
    expect(await query(`select from ${table} where website_id = ${id}`)).toEqual([]);
  expect(await query(`select day::text as day from website_hits where website_id = ${id + 1} order by 1`)).toEqual([
    { day: '2041-03-01' },
    { day: '2041-04-01' },
  ]);
});
