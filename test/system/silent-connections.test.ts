/** Connections that stay open and pass nothing, as behind a firewall that forgot them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, withClient } from '../../src/db/connection/client.ts';
import { startCopyIn } from '../../src/db/copy/copy-in.ts';
import { copyRows } from '../../src/db/copy/copy-rows.ts';
import { isConnectionError, isDatabaseUnavailable } from '../../src/db/errors.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { until } from '../support/wait.ts';

// Other tests take advisory locks with the same numbers in their databases of the same server.
const OF_THIS_DATABASE = sql`locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;

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
      const { rows } = await database.db.execute(sql`select from pg_locks where ${OF_THIS_DATABASE} and objid = 1`);
      return rows.length === 0;
    });
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
    await db.$client.end();
  },
);

/** The result of what waits for the connection, or its error; undefined if it never ends. */
const outcome = (waiting: Promise<unknown>): Promise<unknown> => waiting.catch((error: unknown) => error);

async function readAll(rows: AsyncIterable<unknown[]>, onBatch?: () => Promise<void>): Promise<number> {
  let count = 0;
  for await (const batch of rows) {
    count += batch.length;
    await onBatch?.();
  }
  return count;
}

/** More than the buffers of a connection hold. */
const MANY_ROWS = `select repeat('x', 1000) from generate_series(1, 50000)`;

test.concurrent('COPY on a silent connection fails in both directions, and its session ends', async () => {
  const own = await openRelay(database.url);
  const db = openDatabase(own.url, { max: 4 });
  const copies = [0, 1, 2, 3].map(async (n) => {
    const client = await db.$client.connect();
    await client.query('create temporary table copied (value text)');
    await client.query('select pg_advisory_lock(2, $1)', [n]);
    return client;
  });
  const [started, ended, aborted, read] = await Promise.all(copies);
  const running = startCopyIn(ended!, 'copied');
  await running.send('a row\n');
  const stopped = startCopyIn(aborted!, 'copied');
  await stopped.send('a row\n');
  own.silence();
  const late = startCopyIn(started!, 'copied');
  await late.send('a row\n');
  const outcomes = [late.end(), running.end(), readAll(copyRows(read!, MANY_ROWS))].map(outcome);
  expect((await Promise.all(outcomes)).map(isConnectionError)).toEqual([true, true, true]);
  await Promise.all([late.abort(), running.abort(), stopped.abort()]);
  await until(async () => {
    const { rows } = await database.db.execute(sql`select from pg_locks where ${OF_THIS_DATABASE} and classid = 2`);
    return rows.length === 0;
  });
  for (const client of [started, ended, aborted, read]) client!.release(true);
  await own.close();
  await db.$client.end();
});

test.concurrent(
  'COPY on a connection that the server closed between two texts fails with the error of the connection',
  async () => {
    const db = openDatabase(database.url, { max: 1 });
    const client = await db.$client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await client.query('create temporary table copied (value text)');
    const copies = startCopyIn(client, 'copied');
    await copies.send('one\n');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await database.db.execute(sql`select pg_terminate_backend(${rows[0]?.pid})`);
    await ended;
    const outcomes = await Promise.all([outcome(copies.send('two\n')), outcome(copies.end())]);
    expect(outcomes.map((error) => isDatabaseUnavailable(error))).toEqual([true, true]);
    await copies.abort();
    client.release(true);
    await db.$client.end();
  },
);

test.concurrent('a slow reader and a slow writer of COPY keep their connections', async () => {
  const db = openDatabase(database.url, { max: 2 });
  let paused = false;
  const pauseOnce = async (): Promise<void> => {
    if (!paused) await pause(6_000);
    paused = true;
  };
  const read = withClient(db, (client) => readAll(copyRows(client, MANY_ROWS), pauseOnce));
  const written = withClient(db, async (client) => {
    await client.query('create temporary table copied (value text)');
    const copy = startCopyIn(client, 'copied');
    await copy.send('one\n');
    await pause(6_000);
    await copy.send('two\n');
    await copy.end();
    return (await client.query('select from copied')).rowCount;
  });
  expect(await Promise.all([read, written])).toEqual([50_000, 2]);
  await db.$client.end();
});

test.concurrent('work that fails leaves no lock on a connection that became silent', async () => {
  const own = await openRelay(database.url);
  const db = openDatabase(own.url, { max: 1 });
  const failing = withClient(db, async (client) => {
    await client.query('select pg_advisory_lock(3)');
    own.silence();
    throw new Error('a defect');
  });
  await expect(failing).rejects.toThrow('a defect');
  await until(async () => {
    const { rows } = await database.db.execute(sql`select from pg_locks where ${OF_THIS_DATABASE} and objid = 3`);
    return rows.length === 0;
  });
  await own.close();
  await db.$client.end();
});

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
