import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inSnapshot, openDatabase, withClient } from '../../../src/db/connection/client.ts';
import { checkPooler, checkSettings } from '../../../src/db/connection/pooler.ts';
import { CONNECT_QUERY } from '../../../src/db/connection/session.ts';
import { queryRows } from '../../../src/db/rows.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
let other: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  other = await freshDatabase();
});
afterAll(async () => {
  await database.close();
  await other.close();
});

/** Without a pooler: what goes to which URL does not depend on one. */
const pooled = () => ({ url: database.url, directUrl: other.url, isPrepared: true });
const NAME = sql`select current_database() as name`;
const nameOf = ({ url }: FreshDatabase): string => new URL(url).pathname.slice(1);

test('statements and transactions with a limit use the pooler, what needs a session the direct URL', async () => {
  const db = openDatabase(pooled(), { max: 1, maxQueryMs: 5_000 });
  const used = [
    (await db.execute(NAME)).rows[0],
    (await db.transaction((tx) => tx.execute(NAME))).rows[0],
    (await withClient(db, (client) => client.query('select current_database() as name'))).rows[0],
    (
      await Array.fromAsync(
        inSnapshot(db, async function* (snapshot) {
          yield (await snapshot.execute(NAME)).rows[0];
        }),
      )
    )[0],
  ];
  const [through, direct] = [{ name: nameOf(database) }, { name: nameOf(other) }];
  expect(used).toEqual([through, through, direct, direct]);
  await db.$client.end();
  await expect(db.$direct.connect()).rejects.toThrow('after calling end');
});

test('a pool without a limit, for imports and exports, uses the direct URL only', async () => {
  const db = openDatabase(pooled(), { max: 1 });
  expect((await db.execute(NAME)).rows).toEqual([{ name: nameOf(other) }]);
  await db.$client.end();
});

test('through the pooler, limits hold in transactions and leave nothing in the session', async () => {
  const db = openDatabase(pooled(), { max: 1, maxQueryMs: 5_000 });
  const limits = sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as query,
    current_setting('timezone') as zone`;
  expect((await db.transaction((tx) => tx.execute(limits))).rows).toEqual([{ lock: '10s', query: '5s', zone: 'UTC' }]);
  expect((await db.execute(limits)).rows).toEqual([{ lock: '0', query: '0', zone: 'UTC' }]);
  await db.$client.end();
});

test('with DATABASE_PREPARED=off no statement stays prepared', async () => {
  const counts: unknown[] = [];
  for (const isPrepared of [true, false]) {
    const db = openDatabase({ url: database.url, directUrl: null, isPrepared }, { max: 1 });
    await queryRows(db)`select ${1}::int as one`;
    const { rows } = await db.execute(sql`select count(*)::int as prepared from pg_prepared_statements`);
    counts.push(rows[0]);
    await db.$client.end();
  }
  expect(counts).toEqual([{ prepared: 1 }, { prepared: 0 }]);
});

test('without a pooler nothing is missing, and no connection has startup parameters that a pooler rejects', async () => {
  expect(await checkPooler(database.url, 20)).toBeUndefined();
  const db = openDatabase(database.url, { max: 1, maxQueryMs: 5_000 });
  const client = await db.$client.connect();
  const parameters = (client as unknown as { getStartupConf(): object }).getStartupConf();
  expect(Object.keys(parameters).toSorted()).toEqual(['application_name', 'database', 'user']);
  client.release();
  await db.$client.end();
});

test('URLs of different databases are named', async () => {
  await expect(checkPooler(pooled(), 20)).rejects.toThrow('lead to different databases');
});

const RIGHT = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  lock_timeout: '10s',
  statement_timeout: '30s',
};

test('a wrong format ends the start, a missing limit is a warning, both with what to add', () => {
  expect(checkSettings(RIGHT)).toBeUndefined();
  expect(() => checkSettings({ ...RIGHT, bytea_output: 'escape' })).toThrow(/bytea_output = escape: add "set bytea/);
  expect(checkSettings({ ...RIGHT, statement_timeout: '0' })).toContain(`connect_query='${CONNECT_QUERY}'`);
});

test('the pgbouncer.ini of the docs has the query that the warning names', () => {
  expect(readFileSync('docs/operations.md', 'utf8')).toContain(`connect_query='${CONNECT_QUERY}'\n`);
});
