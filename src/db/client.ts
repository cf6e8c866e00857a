import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Pool, type PoolClient, types } from 'pg';

/** The database: query builder and `$client`, the pool under it (for COPY and cursors). */
export type Db = NodePgDatabase & { $client: Pool };
/** The caller's transaction: what takes one is part of it and commits with it. */
export type Tx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
/** Either; for reads that do not care. */
export type Queryable = Db | Tx;

// bigint: ids and counts stay far below 2^53, so they are numbers throughout.
types.setTypeParser(types.builtins.INT8, Number);

/** How long a write waits for another one of the same website before it gives up (BUSY). */
const LOCK_TIMEOUT_MS = 10_000;
/** Times and bytes are read in one form, whatever a database or a role is set up to show; in the other, bytes take ten times as long. */
const FORMS = '-c DateStyle=ISO -c TimeZone=UTC -c IntervalStyle=postgres -c bytea_output=hex';

/**
 * Connects a pool of `max` connections. Does not fail when the server is away: the first query does.
 * `onError` hears of idle connections that the server closed; without a listener that would end the process.
 */
export function openDatabase(
  url: string,
  options: { max?: number; onError?: (error: Error) => void } = {},
): Db {
  const pool = new Pool({
    connectionString: url,
    max: options.max ?? 20,
    application_name: 'detour',
    lock_timeout: LOCK_TIMEOUT_MS,
    options: FORMS,
  });
  pool.on('error', options.onError ?? (() => {}));
  // One that is in use tells whoever uses it; without a listener of its own its end would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return drizzle({ client: pool, casing: 'snake_case' });
}

/** A query builder over one connection, such as one with an open transaction. */
export function queryableOf(client: PoolClient): Queryable {
  // Differs from the pool's query builder only in the type of `$client`.
  return drizzle({ client, casing: 'snake_case' }) as unknown as Queryable;
}

/** Runs `work` with one connection of the pool to itself; it goes back, or is destroyed when `work` threw. */
export async function withClient<T>(db: Db, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.$client.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

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
    yield* read(queryableOf(client), client);
    await client.query('commit');
    done = true;
  } finally {
    client.release(!done);
  }
}
