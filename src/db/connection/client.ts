import { Pool, type PoolClient, types } from 'pg';
import { drizzle, type NodePgDatabase } from '../drizzle.ts';
import { driverOptions } from './hosts.ts';
import { closeWhenSilent } from './silent-connections.ts';

/** The database: query builder and `$client`, its pool (for COPY and cursors). */
export type Db = NodePgDatabase & { $client: Pool };
/** The caller's transaction. A function with this parameter is part of it. */
export type Tx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
/** Database or transaction, for reads. */
export type Queryable = Db | Tx;

// bigint as number: ids and counts stay far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

/** A write that waits longer for another one of the same website fails with BUSY. */
const LOCK_TIMEOUT_MS = 10_000;
/**
 * One format of times and bytes, whatever the database or role has configured: reading bytes in the other format takes
 * ten times as long. With keepalives the server ends the session of a vanished client, with its locks, within a minute;
 * with the user timeout also if a response to it was lost. With the check it ends the statement of a process that was
 * killed, instead of finishing it.
 */
const SETTINGS = {
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  // A server on macOS or Windows logs that it does not have the first, for each connection; Windows rejects the second.
  ...(process.platform === 'linux' && { tcp_user_timeout: 30_000, client_connection_check_interval: 2_000 }),
};
/** Settings of every session, as a connection parameter. */
export const SESSION_OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Idle time before the first TCP keepalive. An unreachable server then counts as lost after 10 more, one per second.
 */
const KEEPALIVE_AFTER_MS = 10_000;
/** A transaction that is idle for longer belongs to a suspended process. */
const MAX_IDLE_TRANSACTION_MS = 60_000;

export interface PoolOptions {
  /** default: 20 */
  max?: number;
  /**
   * longest query in milliseconds, which PostgreSQL then cancels; default: unlimited, for streams, imports and
   * migrations
   */
  maxQueryMs?: number;
  /** receives the errors of idle connections that the server closed */
  onError?: (error: Error) => void;
}

/**
 * Creates a pool. Does not connect: if the server is unavailable, the first query fails. A query on a connection that
 * became silent fails too, within about 8 s (silent-connections.ts).
 */
export function openDatabase(url: string, { max = 20, maxQueryMs, onError = () => {} }: PoolOptions = {}): Db {
  const pool = new Pool({
    ...driverOptions(url),
    max,
    application_name: 'detour',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    ...(maxQueryMs !== undefined && {
      statement_timeout: maxQueryMs,
      idle_in_transaction_session_timeout: MAX_IDLE_TRANSACTION_MS,
    }),
    options: SESSION_OPTIONS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => {
    // An error of a connection in use rejects its query too. Without a listener it would end the process.
    client.on('error', () => {});
    // After the server's own limit, whose error says more.
    closeWhenSilent(client, url, maxQueryMs && maxQueryMs + LIMIT_GRACE_MS);
  });
  pool.on('acquire', (client) => discardOldPlans(client, performance.now()));
  const db = drizzle({ client: pool, casing: 'snake_case' });
  // Drizzle's own never releases the connection if `begin` fails.
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await queryableOf(client).transaction(work, config);
    } finally {
      // The pool removes it if it is closed.
      client.release();
    }
  };
  return db;
}

/** Opens a database for `work`, and closes it afterwards. */
export async function withDatabase<T>(url: string, max: number, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { max });
  try {
    return await work(db);
  } finally {
    await db.$client.end();
  }
}

const LIMIT_GRACE_MS = 2_000;
const MAX_PLAN_AGE_MS = 10_000;
const plannedAt = new WeakMap<PoolClient, number>();

/**
 * Discards the connection's plans if they are old: PostgreSQL keeps a plan until the next ANALYZE, even if the table
 * has grown from nothing to a million rows. Queues the command before the next query of the connection.
 */
export function discardOldPlans(client: PoolClient, nowMs: number): void {
  const age = nowMs - (plannedAt.get(client) ?? -Infinity);
  if (age < MAX_PLAN_AGE_MS) return;
  plannedAt.set(client, nowMs);
  // A new connection has no plans. A failed one fails its next query too.
  if (age !== Infinity) client.query('discard plans').catch(() => {});
}

const queryables = new WeakMap<PoolClient, Queryable>();

/** A query builder over one connection, such as one with an open transaction. */
export function queryableOf(client: PoolClient): Queryable {
  // Differs from the pool's query builder only in the type of `$client`.
  const found = queryables.get(client) ?? (drizzle({ client, casing: 'snake_case' }) as unknown as Queryable);
  queryables.set(client, found);
  return found;
}

/**
 * Runs `work` with one connection of the pool. Releases it, or destroys it if `work` throws. Then its session ends with
 * its locks, also if the connection has become silent and does not pass its end.
 */
export async function withClient<T>(db: Db, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.$client.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    // On a silent connection this query ends the session (silent-connections.ts). The caller does not wait for it.
    const probed = client.query('select 1').catch(() => {});
    void probed.then(() => client.release(true));
    throw error;
  }
}

/**
 * Yields what `read` yields, from one consistent snapshot on a separate connection. Releases the connection at the end,
 * and destroys it after an error or an early return, so that no transaction stays open.
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
