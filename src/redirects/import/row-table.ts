import { type SQL, sql } from '../../db/drizzle.ts';
import type { Db } from '../../db/client.ts';
import { isLockTimeout } from '../../db/postgres-errors.ts';

/** A dry run's rows can be read for this long. */
const KEPT = '1 hour';
/** Dry runs of one account whose rows are kept; the oldest go first. */
const KEPT_AN_ACCOUNT = 5;
/** A table that somebody is reading is dropped by the next run: whoever comes after must not queue behind the drop. */
const LOCK_WITHIN_MS = 200;

/**
 * The unlogged table with the verdict on every row of a dry run. Tables rather than rows of one: dropping is free, and nothing of a
 * file that was only looked at goes through the write-ahead log.
 */
export function rowTable(importId: string): string {
  return `import_rows_${importId}`;
}

const TABLES = sql.raw(`pg_class c left join imports i on i.id = substr(c.relname, ${rowTable('').length + 1})
  where c.relkind = 'r' and c.relname like 'import\\_rows\\_%' and c.relnamespace = current_schema()::regnamespace`);

/** Drops what was kept long enough. For a loop; safe on several processes at once. */
export async function dropOldRowTables(db: Db): Promise<void> {
  const isOld = sql`(i.id is null or i.completed_at < clock_timestamp() - ${sql.raw(`interval '${KEPT}'`)})`;
  await dropTables(db, sql`select c.relname as name from ${TABLES} and ${isOld}`);
}

/** Leaves an account the newest few. */
export async function dropSurplusRowTables(db: Db, accountId: number): Promise<void> {
  await dropTables(
    db,
    sql`select c.relname as name from ${TABLES} and i.account_id = ${accountId}
      order by i.completed_at desc, i.id offset ${KEPT_AN_ACCOUNT}`,
  );
}

async function dropTables(db: Db, names: SQL): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(names);
  for (const { name } of rows) {
    try {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_WITHIN_MS}`));
        await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}
