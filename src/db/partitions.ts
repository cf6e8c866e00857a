/** Partitions of tables by UTC day or month, so that retention drops tables instead of deleting rows. */
import { withAdvisoryLock } from './advisory-lock.ts';
import { type Db, type Queryable, queryableOf } from './connection/client.ts';
import { sql } from './drizzle.ts';
import { isCheckViolation } from './errors.ts';
import { existingTables } from './rows.ts';

/** Short, because every query of the table queues behind the wait for its lock. The next run retries. */
const LOCK_TIMEOUT_MS = 200;

export interface Partition {
  table: string;
  name: string;
  /** `YYYY-MM-DD` */
  from: string;
  /** the first day after it */
  to: string;
  /** percentage of each page that inserts fill; default: all of it */
  fillfactor?: number;
}

/**
 * Creates the missing partitions under an advisory lock, so that any process can call it at any time. Locks the parent
 * table only while it attaches a partition. Rows that came before their partition stay in the default one.
 */
export async function createPartitions(db: Db, lock: number, wanted: Partition[]): Promise<void> {
  if ((await missing(db, wanted)).length === 0) return;
  await withAdvisoryLock(db, lock, async (client) => {
    const locked = queryableOf(client);
    for (const { table, name, from, to, fillfactor } of await missing(locked, wanted)) {
      const options = fillfactor === undefined ? '' : ` with (fillfactor = ${fillfactor})`;
      const range = sql.raw(`from ('${from}') to ('${to}')${options}`);
      try {
        await locked.execute(
          sql`create table ${sql.identifier(name)} partition of ${sql.identifier(table)} for values ${range}`,
        );
      } catch (error) {
        if (!isCheckViolation(error)) throw error;
      }
    }
  });
}

/** A lookup by name in the catalog: takes no lock on the tables. */
async function missing(db: Queryable, wanted: Partition[]): Promise<Partition[]> {
  const names = wanted.map(({ name }) => name);
  const existing = await existingTables(db, names);
  return wanted.filter(({ name }) => !existing.has(name));
}

/** Returns the names of the partitions of the tables, in order, without the default ones. */
export async function partitionsOf(db: Queryable, tables: readonly string[]): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(${sql.param(tables)}::regclass[]) and c.relname ~ '_[0-9]+$'
    order by c.relname collate "C"`);
  return rows.map(({ name }) => name);
}

/** Throws if a long read keeps a partition locked; call it again later. */
export async function dropPartitions(db: Db, names: string[]): Promise<void> {
  for (const name of names) {
    await db.transaction(async (tx) => {
      await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
      await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
    });
  }
}
