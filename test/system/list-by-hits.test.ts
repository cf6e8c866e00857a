/**
 * Compares the pages of `sort=-hits`, which read the top redirects of each day, with the streamed list, which sums all
 * hits.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { createMonthlyPartitions } from '../../src/hits/store/monthly-partitions.ts';
import type { HitSort } from '../../src/redirects/list/page.ts';
import { readTopRedirects } from '../../src/redirects/list/list-by-hits.ts';
import { listRedirects, streamRedirects } from '../../src/redirects/list/list.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

const now = new Date('2030-05-15T12:00:00Z');
const DAYS = 30;
const COUNT = 600;
const sort: HitSort = {
  field: 'hits',
  descending: true,
  window: { environment: 'production', days: DAYS, now },
};

let database: FreshDatabase;
let actor: Actor;
let accountId: number;
beforeAll(async () => {
  database = await freshDatabase();
  accountId = await newAccount('owner@example.com');
  actor = { accountId, plan: 'pro', type: 'user', id: '1', name: 'owner', role: 'owner', scope: null };
  for (const day of ['2030-04-20', '2030-05-15']) await createMonthlyPartitions(database.db, day);
});
afterAll(() => database.close());

async function newAccount(email: string): Promise<number> {
  return (await createAccount(database.db, { email, plan: 'pro', password: 'a long password' })).account.id;
}

/** Creates a website. `hits` is an SQL expression for the hits of redirect n (from 1) d days ago. */
async function siteWithHits(hits: string): Promise<number> {
  const { db } = database;
  const { rows } = await db.execute<{ id: number }>(
    sql`insert into websites (account_id, name) values (${accountId}, 'site') returning id`,
  );
  const id = rows[0]?.id ?? 0;
  await db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, group_id, rev, in_prod)
    select ${id}, '/p' || n, '/p' || n, '/x', 301, false, case when n % 3 = 0 then 'third' end, 1, 1
    from generate_series(1, ${COUNT}::int) n`);
  await db.execute(sql`select setseed(0.5)`);
  await db.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select website_id, id, 'production', date '2030-05-15' - d, hits, 0, 0, '{}', '\\x' from (
      select r.website_id, r.id, d, (${sql.raw(hits)})::bigint as hits
      from (select *, substr(old_path, 3)::int as n from redirects where website_id = ${id}) r,
        generate_series(0, ${DAYS + 3}::int) d) as daily where hits > 0`);
  await db.execute(sql`
    insert into website_hits (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    select website_id, environment, day, sum(hits), 0, 0, '{}', '\\x', 0, 0 from redirect_hits
    where website_id = ${id} group by 1, 2, 3`);
  return id;
}

async function streamed(filter: { websiteId: number; group?: string[] }): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of streamRedirects(database.db, actor, filter, { sort })) ids.push(...page.map(({ id }) => id));
  return ids;
}

async function paged(filter: { websiteId: number; group?: string[] }, limits: number[]): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  for (let number = 0; ; number++) {
    const limit = limits[number % limits.length] ?? 1;
    const page = await listRedirects(database.db, actor, filter, { sort, limit, cursor });
    ids.push(...page.redirects.map(({ id }) => id));
    if (page.nextCursor === null) return ids;
    cursor = page.nextCursor;
  }
}

const fromTops = (websiteId: number, limit: number, group?: string[]) =>
  readTopRedirects(database.db, {
    actor,
    filter: { websiteId, group },
    sort,
    after: undefined,
    limit,
  });

describe.each([
  ['few redirects have most hits', '20000.0 / n * (0.5 + random())', true],
  ['all redirects have the same hits', '2', false],
  ['most redirects have hits on random days', 'case when random() < 0.1 then 30000.0 / n else 0 end', undefined],
  ['many redirects have equal hits', 'case when n < 150 then 5 when n < 350 then 1 else 0 end', undefined],
] as const)('if %s', (_, hits, isExact) => {
  let id: number;
  beforeAll(async () => {
    id = await siteWithHits(hits);
  });

  test('pages of any size are together the whole list', async () => {
    const all = await streamed({ websiteId: id });
    expect(all).toHaveLength(COUNT);
    for (const limits of [[100, 250], [37], [1_000]])
      expect([limits, await paged({ websiteId: id }, limits)]).toEqual([limits, all]);
  });

  test('pages of a filter are together the filtered list', async () => {
    const third = { websiteId: id, group: ['third'] };
    expect(await paged(third, [100, 37])).toEqual(await streamed(third));
  });

  test('the first page comes from the top redirects of each day if that is exact', async () => {
    const first = await fromTops(id, 101);
    if (isExact !== undefined) expect(first !== undefined).toBe(isExact);
    if (first) expect(first.map(({ id }) => Number(id))).toEqual((await streamed({ websiteId: id })).slice(0, 101));
  });
});

test('another account reads no top redirects', async () => {
  const id = await siteWithHits('20000.0 / n');
  expect(await fromTops(id, 10)).toHaveLength(10);
  const other: Actor = { ...actor, accountId: await newAccount('other@example.com') };
  const query = { actor: other, filter: { websiteId: id }, sort, after: undefined, limit: 10 };
  expect(await readTopRedirects(database.db, query)).toBeUndefined();
});
