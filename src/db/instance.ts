/**
 * Who is alive. Every process has a row in `instances` and holds the session lock (7002, id) for as long as it lives; what a
 * dead one left behind (imports, deliveries under way) others take over. PostgreSQL gives the lock back when the
 * process dies, however it dies.
 */
import { LOCKS } from './advisory-lock.ts';
import { sql } from 'drizzle-orm';
import type { Client } from 'pg';
import type { Queryable } from './client.ts';
import { openPersistentConnection } from './persistent-connection.ts';

export interface Instance {
  id: number;
  /** False while the connection is lost, or a new one has not got the lock yet: others may take over what this instance owns. */
  isHeld(): boolean;
  /** Gives the lock back: from then on others count this instance as dead. */
  stop(): Promise<void>;
}

/**
 * Registers this process and resolves when its lock is held. When the connection is lost the lock is taken again on the next
 * one; until then others may count this instance as dead, so what it owns must bear being taken over.
 */
export async function registerInstance(url: string, onError: (error: unknown) => void): Promise<Instance> {
  let id: number | undefined;
  let held = false;
  async function lockAgain(client: Client): Promise<void> {
    // Does not wait: after a half-open connection the server may not have noticed yet, and the old session has the lock.
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1, $2) as locked',
      [LOCKS.instance, id],
    );
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

/** True while the process of this instance lives and has its connection. */
export async function isInstanceAlive(db: Queryable, id: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and classid = ${LOCKS.instance} and objid = ${id} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return rows.length > 0;
}

/** The row and the lock in one transaction: nobody ever sees an instance that is not locked yet. */
async function insertLocked(client: Client): Promise<number> {
  await client.query('begin');
  const { rows } = await client.query<{ id: number }>('insert into instances default values returning id');
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('insert returned nothing');
  await client.query('select pg_advisory_lock($1, $2)', [LOCKS.instance, id]);
  await client.query('commit');
  return id;
}
