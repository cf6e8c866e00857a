import { drizzle } from './drizzle.ts';
import type { PoolClient } from 'pg';
import type { Db, Queryable } from './client.ts';

/**
 * Yields what `read` yields, all of it from one consistent snapshot on a connection of its own. The connection goes back when the
 * reader is done or gives up; it is destroyed when something fails, so that no transaction stays open.
 */
export async function* inSnapshot<T>(
  db: Db,
  read: (snapshot: Queryable, client: PoolClient) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const client = await db.$client.connect();
  let done = false;
  try {
    await client.query('begin isolation level repeatable read read only');
    // A snapshot has the same query builder as the pool; only `$client` is narrower.
    yield* read(drizzle({ client, casing: 'snake_case' }) as unknown as Queryable, client);
    await client.query('commit');
    done = true;
  } finally {
    client.release(!done);
  }
}
