import type { Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/connection/client.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

test('a connection that the server ends while it is lent and idle is an error of its borrower, not the end of the process', async () => {
  const db = openDatabase(database.url, { max: 1 });
  const client = await db.$client.connect();
  const ended = Promise.withResolvers<void>();
  client.once('end', () => ended.resolve());
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await database.db.execute(sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`);
  await ended.promise;
  await expect(client.query('select 1')).rejects.toThrow();
  client.release(true);
  expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
  await db.$client.end();
});

test('times are read right, and bytes fast, however the database is set up to show them', async () => {
  const name = sql.identifier(new URL(database.url).pathname.slice(1));
  for (const setting of ["datestyle = 'German, DMY'", "timezone = 'Asia/Kolkata'", "bytea_output = 'escape'"])
    await database.db.execute(sql`alter database ${name} set ${sql.raw(setting)}`);
  const db = openDatabase(database.url, { max: 1 });
  const { rows } = await db.execute<{ time: string; day: string }>(
    sql`select timestamptz '2030-01-31T23:30:00Z' as time, (timestamptz '2030-01-31T23:30:00Z')::date::text as day`,
  );
  expect(rows.map(({ time, day }) => [new Date(time).toISOString(), day])).toEqual([
    ['2030-01-31T23:30:00.000Z', '2030-01-31'],
  ]);
  expect((await db.execute(sql`show bytea_output`)).rows).toEqual([{ bytea_output: 'hex' }]);
  await db.$client.end();
});

test('a transaction that cannot begin releases its connection', async () => {
  const db = openDatabase(database.url, { max: 1 });
  const client = await db.$client.connect();
  const ended = Promise.withResolvers<void>();
  client.once('end', () => ended.resolve());
  client.release();
  // The connection ends between its check-out and `begin`.
  db.$client.once('acquire', (taken) => void taken.end());
  await expect(db.transaction(async (tx) => tx.execute(sql`select 1`))).rejects.toThrow();
  await ended.promise;
  expect((await db.transaction((tx) => tx.execute(sql`select 1 as one`))).rows).toEqual([{ one: 1 }]);
  await db.$client.end();
});

test('the statement of a process that is gone ends within seconds', async () => {
  const lost = openDatabase(database.url, { max: 1 });
  const client = await lost.$client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const running = client.query('begin; select count(*) from generate_series(1, 1e12)');
  const isRunning = async (): Promise<boolean> => {
    const query = sql`select from pg_stat_activity where pid = ${rows[0]?.pid ?? 0} and state = 'active'`;
    return (await database.db.execute(query)).rowCount === 1;
  };
  await until(isRunning);
  // As the operating system does after `kill -9`.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  await expect(running).rejects.toThrow();
  await until(async () => !(await isRunning()), 8_000);
  client.release(true);
  await lost.$client.end();
});
