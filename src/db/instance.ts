/**
 * Liveness of processes. Every process has a row in `instances` and holds the session lock (7002, id). PostgreSQL
 * releases the lock when the process exits or crashes. Other processes then take over its imports and deliveries.
 */
import { LOCKS } from './advisory-lock.ts';
import { sql } from 'drizzle-orm';
import type { Client } from 'pg';
import type { Queryable } from './client.ts';
import { openPersistentConnection } from './persistent-connection.ts';

export interface Instance {
  id: number;
  /**
   * False while the connection is lost, or the new one has no lock yet: others may then take over the work of this
   * instance.
   */
  isHeld(): boolean;
  /** Releases the lock; others may then take over. */
  stop(): Promise<void>;
}

/**
 * Registers this process. Resolves when it holds its lock. After a lost connection the next one takes the lock again.
 * Until then the instance may count as crashed, so its work must tolerate a takeover.
 */
export async function registerInstance(url: string, onError: (error: unknown) => void): Promise<Instance> {
  let id: number | undefined;
  let held = false;
  async function lockAgain(client: Client): Promise<void> {
    // Does not wait: after a half-open connection the old session may still hold the lock.
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
      LOCKS.instance,
      id,
    ]);
    held = rows[0]?.locked === true;
  }
  const connection = openPersistentConnection(url, {
    async onConnect(client) {
      held = false;
      if (id !== undefined) return lockAgain(client);
      id = await insertLocked(client);
      held = true;
    },
    onAlive: (client) => (held ? client.query('select 1') : lockAgain(client)),
    onError(error) {
      held = false;
      onError(error);
    },
  });
  await connection.ready;
  if (id === undefined) throw new Error('the connection was stopped before the instance was registered');
  return { id, isHeld: () => held, stop: connection.stop };
}

/** True while the process of this instance is alive and connected. */
export async function isInstanceAlive(db: Queryable, id: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and classid = ${LOCKS.instance} and objid = ${id} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return rows.length > 0;
}

/** Inserts and locks the row in one transaction, so that no process sees an instance without its lock. */
async function insertLocked(client: Client): Promise<number> {
  await client.query('begin');
  const { rows } = await client.query<{ id: number }>('insert into instances default values returning id');
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('insert returned nothing');
  await client.query('select pg_advisory_lock($1, $2)', [LOCKS.instance, id]);
  await client.query('commit');
  return id;
}
