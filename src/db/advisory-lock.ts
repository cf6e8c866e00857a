import type { PoolClient } from 'pg';
import { type Db, withClient } from './connection/client.ts';
import { LOCK_TIMEOUT_MS } from './connection/session.ts';

/**
 * Numbers of all advisory locks: the key of a lock that exists once, or the class of locks that exist per row (the
 * second key is named in the comment). Numbers never change, because processes of different versions may share a
 * database.
 */
export const LOCKS = {
  migrations: 7001,
  /** per instance: its id */
  instance: 7002,
  /** per website and environment: see `environmentLock` */
  deployment: 7003,
  bootstrap: 7004,
  /** per email address: the first 32 bits of its SHA-256 */
  signIn: 7005,
  /** one claimer at a time (webhooks/queue/claim.ts) */
  claim: 7006,
  /** per webhook: a hash of its id */
  replay: 7011,
  dailyPartitions: 7012,
  hitPartitions: 7020,
  /** per website: its id */
  hitCounters: 7021,
  /** per website: its id; a deployment that checks them shares it, writers of expectations hold it alone */
  expectations: 7030,
  /** per website: its id; a creation counts its open moves */
  moves: 7031,
  /** per website: its id; a creation counts its saved views */
  savedViews: 7032,
} as const;

/**
 * Runs `work` in one process at a time across all processes that share the database, and passes it the connection that
 * holds the lock. Waits without a timeout. If `work` throws, the connection is closed, which releases the lock. PostgreSQL releases the lock if the process exits.
 */
export async function withAdvisoryLock<T>(db: Db, lock: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(db, async (client) => {
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [lock]);
    // Only the wait for this lock is unlimited: a wait for a table's lock blocks every query that comes after it.
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const result = await work(client);
    await client.query('select pg_advisory_unlock($1)', [lock]);
    return result;
  });
}
