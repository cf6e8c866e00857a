import { Pool, type PoolClient, types } from 'pg';
import { drizzle, type NodePgDatabase } from '../drizzle.ts';
import { isReadOnlyError } from '../errors.ts';
import { driverOptions, leaveStandby } from './hosts.ts';
import { type DatabaseUrl, pooledUrlOf } from '../../vocabulary/database-url.ts';
import { limitsOf, pooledSetup, prepareNothing, sessionSetup, transactionSetup } from './session.ts';
import { closeWhenSilent } from './silent-connections.ts';

/** The database: query builder, its pool `$client`, and that of connections with a session, which may be the same. */
export type Db = NodePgDatabase & { $client: Pool; $direct: Pool };
/** The caller's transaction. A function with this parameter is part of it. */
export type Tx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
/** Database or transaction, for reads. */
export type Queryable = Db | Tx;

// bigint as number: ids and counts stay far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Idle time before the first TCP keepalive. An unreachable server then counts as lost after 10 more, one per second.
 */
const KEEPALIVE_AFTER_MS = 10_000;
export interface PoolOptions {
  /** default: 20 */
  max?: number;
  /**
   * longest query in milliseconds, which PostgreSQL then cancels; default: unlimited, for streams, imports and
   * migrations, which never use a pooler that has a direct URL
   */
  maxQueryMs?: number;
  /** receives the errors of idle connections that the server closed */
  onError?: (error: Error) => void;
}

/**
 * Creates a pool. Does not connect: if the server is unavailable, the first query fails. A query on a connection that
 * became silent fails too, within about 8 s (silent-connections.ts). With a direct URL, only statements and transactions
 * of a pool with `maxQueryMs` go to the pooler; `withClient` and `inSnapshot`, which need a session, take a second pool.
 */
export function openDatabase(databaseUrl: DatabaseUrl, options: PoolOptions = {}): Db {
  const { url, directUrl, isPrepared } = pooledUrlOf(databaseUrl);
  const limits = limitsOf(options.maxQueryMs);
  const isPooled = directUrl !== null && options.maxQueryMs !== undefined;
  const ofSessions = { setup: sessionSetup(limits), isPrepared: isPrepared || directUrl !== null };
  const $direct = openPool(directUrl ?? url, options, ofSessions);
  const $client = isPooled ? openPool(url, options, { setup: pooledSetup(), isPooled, isPrepared }) : $direct;
  if (isPooled) endTogether($client, $direct);
  const db = Object.assign(drizzle({ client: $client, casing: 'snake_case' }), { $direct });
  // Drizzle's own never releases the connection if `begin` fails.
  db.transaction = async (work, config) => {
    const client = await $client.connect();
    let failure: Error | undefined;
    try {
      const limited: typeof work = async (tx) => {
        await tx.execute(transactionSetup(limits));
        return work(tx);
      };
      return await queryableOf(client).transaction(isPooled ? limited : work, config);
    } catch (error) {
      // One of a server that became a standby is not used again.
      if (error instanceof Error && isReadOnlyError(error)) failure = error;
      throw error;
    } finally {
      // The pool removes it if it is closed.
      client.release(failure);
    }
  };
  return db;
}

interface SessionOptions {
  setup: string;
  isPrepared: boolean;
  /** its sessions are shared with other clients */
  isPooled?: boolean;
}

function openPool(
  url: string,
  { max = 20, maxQueryMs, onError = () => {} }: PoolOptions,
  { setup, isPrepared, isPooled = false }: SessionOptions,
): Pool {
  const pool = new Pool({
    ...driverOptions(url, setup),
    max,
    application_name: 'detour',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => {
    if (!isPrepared) prepareNothing(client);
    // After the server's own limit, whose error says more.
    closeWhenSilent(client, url, { maxQueryMs: maxQueryMs && maxQueryMs + LIMIT_GRACE_MS, isPooled });
  });
  leaveStandby(pool, url);
  pool.on('acquire', (client) => discardOldPlans(client, performance.now()));
  return pool;
}

function endTogether(pool: Pool, other: Pool): void {
  const end = pool.end.bind(pool);
  pool.end = async () => {
    await Promise.all([end(), other.end()]);
  };
}

/** Opens a database for `work`, and closes it afterwards. */
export async function withDatabase<T>(url: DatabaseUrl, max: number, work: (db: Db) => Promise<T>): Promise<T> {
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
  const client = await db.$direct.connect();
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
  const client = await db.$direct.connect();
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
