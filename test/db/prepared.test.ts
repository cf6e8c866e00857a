import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, openDatabase } from '../../src/db/connection/client.ts';
import { discardOldPlans } from '../../src/db/connection/client.ts';
import { queryRows } from '../../src/db/rows.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

let database: FreshDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  // One connection, so that every statement below runs on it.
  db = openDatabase(database.url, { max: 1 });
  await db.execute(sql`create table things (id int primary key, name text)`);
});
afterAll(async () => {
  await db.$client.end();
  await database.close();
});

async function preparedTexts(): Promise<string[]> {
  const { rows } = await db.execute<{ statement: string }>(sql`select statement from pg_prepared_statements`);
  return rows.map(({ statement }) => statement);
}

test('a statement of values is prepared once, one with fragments or a list is not', async () => {
  const byId = (id: number) => queryRows<{ name: string }>(db)`select name from things where id = ${id}`;
  await byId(1);
  await byId(2);
  const condition = sql`id = ${1}`;
  await queryRows(db)`select id from things where ${condition}`;
  await queryRows(db)`select id from things where id in ${[1, 2]}`;
  await queryRows(db, { isConstant: true })`select 1 + id as next from things where ${condition}`;
  expect(await preparedTexts()).toEqual([
    'select name from things where id = $1',
    'select 1 + id as next from things where id = $1',
  ]);
});

test('a statement that returns every column still works after a new column', async () => {
  const all = () => queryRows(db)`select * from things where id = ${1}`;
  const returned = () =>
    queryRows(
      db,
    )`insert into things values (${1}, ${'one'}) on conflict (id) do update set name = excluded.name returning *`;
  await returned();
  expect(await all()).toEqual([{ id: 1, name: 'one' }]);
  await db.execute(sql`alter table things add column new_column int`);
  expect(await returned()).toEqual([{ id: 1, name: 'one', newColumn: null }]);
  expect(await all()).toEqual([{ id: 1, name: 'one', newColumn: null }]);
});

/** The plan of the prepared statement on the table `grown`. */
async function planOnGrown(): Promise<string> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select name from pg_prepared_statements where statement like '%from grown%'`,
  );
  const explained = await db.$client.query<{ 'QUERY PLAN': string }>(`explain execute "${rows[0]?.name}"(1)`);
  return explained.rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** Plans the statement while the table is empty, then fills the table. Returns the plan that is left. */
async function planBeforeGrowth(): Promise<string> {
  await db.execute(sql`truncate grown`);
  await db.execute(sql`analyze grown`);
  for (let i = 0; i < 20; i++) await queryRows(db)`select id from grown where id = ${i}`;
  await db.execute(sql`insert into grown select generate_series(1, 100000)`);
  return planOnGrown();
}

test('a plan for an empty table is replaced soon after the table has grown', async () => {
  await db.execute(sql`create table grown (id int primary key) with (autovacuum_enabled = off)`);
  // DDL of parallel tests can overflow the queue of invalidations, and PostgreSQL then plans every statement again.
  await expect.poll(planBeforeGrowth, { timeout: 20_000 }).toMatch(/Seq Scan/);
  const client = await db.$client.connect();
  discardOldPlans(client, performance.now() + 11_000);
  client.release();
  expect(await planOnGrown()).toMatch(/Index/);
});
