/** Compares the results with a sum over all redirects. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topRedirects, INDEXED, MAX_UNINDEXED, maxHitsOfTier } from '../../../src/hits/report/top-redirects.ts';
import { createMonthlyPartitions } from '../../../src/hits/store/monthly-partitions.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

const DAYS = 40;
const REDIRECTS = 1_500;
const range = { from: '2030-01-05', to: '2030-02-03' };

let database: FreshDatabase;

/** Hits of a redirect on a day, by kind of traffic; each website has one kind. */
const TRAFFIC: Record<string, string> = {
  skewed: 'ceil(20000.0 / r * (1 + (r * 7 + d * 13) % 5))',
  flat: '5',
  random: '1 + (r * 7919 + d * 104729 + r * d) % 97',
  'new every day': 'case when r % 40 = d then 1000 + r else 0 end',
  'by bots alone': '0',
};

beforeAll(async () => {
  database = await freshDatabase();
  for (const day of ['2030-01-01', '2030-02-01']) await createMonthlyPartitions(database.db, day);
  const { $client } = database.db;
  for (const [i, formula] of Object.values(TRAFFIC).entries()) {
    await $client.query(`insert into redirect_hits
      select ${i + 1}, r, 'production', date '2030-01-01' + d, (${formula})::bigint, 1 + r * d % 50, 0,
        jsonb_build_object('DE', (${formula})::bigint / (1 + r % 3)), ''
      from generate_series(1, ${REDIRECTS}) r, generate_series(0, ${DAYS - 1}) d`);
    await $client.query(`insert into website_hits
      select website_id, environment, day, sum(hits), 0, 0, '{}', '', 0, 0 from redirect_hits
      where website_id = ${i + 1} group by 1, 2, 3`);
    await $client.query(`insert into redirects (website_id, id, key, old_path, new_path, status_code, is_regex, rev)
      select ${i + 1}, r, '/' || r, '/' || r, '/to', 301, false, 1 from generate_series(1, ${REDIRECTS}) r where r % 10 <> 3`);
  }
}, 120_000);
afterAll(() => database?.close());

test.each(Object.keys(TRAFFIC).map((name, i) => [name, i + 1] as const))(
  'the ten most followed are those of the whole sum where traffic is %s',
  async (_name, websiteId) => {
    const { rows } = await database.db.$client.query<{ redirectId: number; hits: number }>(
      `select redirect_id as "redirectId", sum(hits)::bigint as hits from redirect_hits
      where website_id = $1 and day between $2 and $3 and redirect_id % 10 <> 3
      group by 1 having sum(hits) > 0 order by 2 desc, 1 limit 10`,
      [websiteId, range.from, range.to],
    );
    expect(await topRedirects(database.db, { websiteId, environment: 'production' }, range, 10)).toEqual(rows);
  },
);

test.each([
  ['a country', { country: 'DE' }, "(countries ->> 'DE')::bigint"],
  ['bots', { agents: 'bots' }, 'bot_hits'],
] as const)('the ten with the most hits of %s are those of the whole sum', async (_name, filter, hits) => {
  for (const websiteId of [1, 2, 3, 4]) {
    const { rows } = await database.db.$client.query<{ redirectId: number; hits: number }>(
      `select redirect_id as "redirectId", sum(${hits})::bigint as hits from redirect_hits
      where website_id = $1 and day between $2 and $3 and redirect_id % 10 <> 3
      group by 1 having sum(${hits}) > 0 order by 2 desc, 1 limit 10`,
      [websiteId, range.from, range.to],
    );
    const scope = { websiteId, environment: 'production', filter } as const;
    expect(await topRedirects(database.db, scope, range, 10)).toEqual(rows);
  }
});

test('a website or an environment without hits has none', async () => {
  expect(await topRedirects(database.db, { websiteId: 99, environment: 'production' }, range, 10)).toEqual([]);
  expect(await topRedirects(database.db, { websiteId: 1, environment: 'staging' }, range, 10)).toEqual([]);
});

test('a tier allows the hits of every row in it, and hardly more than half as many again', async () => {
  const numbers = Array.from({ length: 52 }, (_, k) => [2 ** k - 1, 2 ** k, 2 ** k + 1, Math.floor(2 ** (k + 0.5))]);
  const hits = [...new Set(numbers.flat())];
  const { $client } = database.db;
  await $client.query(
    `insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select 99, row_number() over (), 'production', '2030-01-05', h, 0, 0, '{}', '' from unnest($1::bigint[]) h`,
    [hits],
  );
  const { rows } = await database.db.execute<{ hits: number; tier: number; most: number }>(
    sql`select hits, tier, ${maxHitsOfTier(sql`tier`)} as most from redirect_hits where website_id = 99`,
  );
  expect(rows).toHaveLength(hits.length);
  for (const row of rows) {
    expect(row.most).toBeGreaterThanOrEqual(row.hits);
    expect(row.most).toBeLessThanOrEqual(row.hits * 1.5);
    expect(row.tier > 0).toBe(row.hits > 0);
  }
});

test('the most that a redirect outside the index can have is what the index leaves out', async () => {
  const { rows: indexes } = await database.db.execute<{ most: number }>(sql`
    select ${maxHitsOfTier(sql`(regexp_match(indexdef, 'tier > ([0-9]+)'))[1]::int`)} as most
    from pg_indexes where indexname = 'redirect_hits_tier_idx'`);
  expect(indexes).toEqual([{ most: MAX_UNINDEXED }]);
  const { rows } = await database.db.execute<{ indexed: boolean; least: number; most: number }>(sql`
    select ${INDEXED} as indexed, min(h.hits)::int as least, max(h.hits)::int as most
    from redirect_hits h where h.website_id in (1, 3) group by 1 order by 1`);
  expect(rows).toMatchObject([
    { indexed: false, most: MAX_UNINDEXED },
    { indexed: true, least: MAX_UNINDEXED + 1 },
  ]);
});
