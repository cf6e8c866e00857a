import { type Db, withClient } from './client.ts';

/**
 * Runs `work` in one process at a time, over all that share the database; the others wait for their turn, however long. `lock` is
 * the number of the advisory lock. The lock ends with the process if that dies.
 */
export async function exclusively<T>(db: Db, lock: number, work: () => Promise<T>): Promise<T> {
  return withClient(db, async (client) => {
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [lock]);
    try {
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock]);
      await client.query('reset lock_timeout');
    }
  });
}
