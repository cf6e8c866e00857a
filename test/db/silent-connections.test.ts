/** Connections that stay open and pass nothing, as behind a firewall that forgot them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { isConnectionError } from '../../src/db/errors.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { until } from '../support/wait.ts';

let database: FreshDatabase;
let relay: Relay;
beforeAll(async () => {
  database = await freshDatabase();
  relay = await openRelay(database.url);
});
afterAll(async () => {
  await relay.close();
  await database.close();
});

test.concurrent(
  'a query on a silent connection fails, its session ends with its locks, and the next query works',
  async () => {
    const db = openDatabase(relay.url, { max: 3 });
    const client = await db.$client.connect();
    await client.query('begin');
    await client.query('select pg_advisory_lock(1)');
    const idle = await db.$client.connect();
    idle.release();
    relay.silence();
    const transaction = client.query('select 1').catch((error: unknown) => error);
    const query = db.execute(sql`select 1`).catch((error: unknown) => error);
    expect(isConnectionError(await transaction)).toBe(true);
    expect(isConnectionError(await query)).toBe(true);
    client.release(true);
    await until(async () => {
      const { rows } = await database.db.execute(sql`select from pg_locks where locktype = 'advisory' and objid = 1`);
      return rows.length === 0;
    });
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
    await db.$client.end();
  },
);

test.concurrent('a slow query is not silent, until the limit of its pool', async () => {
  const [db, limited] = [
    openDatabase(database.url, { max: 1 }),
    openDatabase(database.url, { max: 1, maxQueryMs: 1_000 }),
  ];
  const slow = db.execute(sql`select pg_sleep(6)`);
  await expect(limited.execute(sql`select pg_sleep(6)`)).rejects.toMatchObject({ cause: { code: '57014' } });
  expect((await slow).rows).toHaveLength(1);
  await Promise.all([db.$client.end(), limited.$client.end()]);
});

test.concurrent('a slow query is not silent if the server has no connection left to ask on', async () => {
  const role = `one_connection_${randomUUID().replaceAll('-', '')}`;
  await database.db.execute(sql.raw(`create role ${role} login password 'secret' connection limit 1`));
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'secret'];
  const db = openDatabase(url.href, { max: 1 });
  expect((await db.execute(sql`select pg_sleep(6)`)).rows).toHaveLength(1);
  await db.$client.end();
  await database.db.execute(sql.raw(`drop role ${role}`));
});
