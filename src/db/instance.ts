/**
 * Liveness of processes. Every process has a row in `instances` and holds the session lock (7002, id). PostgreSQL
 * releases the lock when the process exits or crashes. Other processes then take over its imports and deliveries.
 */
import { LOCKS } from './advisory-lock.ts';
import type { Client } from 'pg';
import type { Queryable } from './connection/client.ts';
import { sql } from './drizzle.ts';
import { openPersistentConnection } from './connection/persistent-connection.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

const TERMINATE_TIMEOUT_MS = 2_000;

/**
 * Registers this process. Resolves when it holds its lock. After a lost connection the next one takes the lock again.
 * Until then the instance may count as crashed, so its work must tolerate a takeover.
 */
export async function registerInstance(url: DatabaseUrl, onError: (error: unknown) => void) {
  let id: number | undefined;
  let held = false;
  async function lockAgain(client: Client): Promise<void> {
    held = await tryLock(client, id);
    if (held) return;
    // Only this process takes this lock: after a silent connection its old session still holds it.
    await client.query(
      `select pg_terminate_backend(pid, ${TERMINATE_TIMEOUT_MS}) from pg_locks
       where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted and pid <> pg_backend_pid()
         and database = (select oid from pg_database where datname = current_database())`,
      [LOCKS.instance, id],
    );
    held = await tryLock(client, id);
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
  return {
    id,
    /** False while the connection is lost, or the new one has no lock yet: others may then take over its work. */
    isHeld: () => held,
    stop: connection.stop,
  };
}

/** True while the process of this instance is alive and connected. */
export async function isInstanceAlive(db: Queryable, id: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and classid = ${LOCKS.instance} and objid = ${id} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return rows.length > 0;
}

/** Does not wait, because the connection counts as silent after a few seconds. */
async function tryLock(client: Client, id: number | undefined): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    LOCKS.instance,
    id,
  ]);
  return rows[0]?.locked === true;
}

/** Inserts and locks the row in one statement, so that no process sees an instance without its lock. */
async function insertLocked(client: Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `with created as (insert into instances default values returning id)
     select id, pg_advisory_lock($1, id) from created`,
    [LOCKS.instance],
  );
  if (!rows[0]) throw new Error('insert returned nothing');
  return rows[0].id;
}
