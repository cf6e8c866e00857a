import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

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
