/**
 * Each dry run with a report has an unlogged table `import_rows_<import id>`. With a table for each run, dropping is
 * free and the rows never pass through the write-ahead log.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { isLockTimeout } from '../../db/errors.ts';

/** How long the rows of a dry run can be read. */
const RETENTION = sql`interval '1 hour'`;
/** Dry runs of one account whose rows are retained; the oldest go first. */
const MAX_TABLES_PER_ACCOUNT = 5;
/** Short lock timeout, so that readers never queue behind the drop. The next run retries. */
const LOCK_TIMEOUT_MS = 200;

const PREFIX = 'import_rows_';

export function verdictTable(importId: string): SQL {
  return sql`${sql.identifier(PREFIX + importId)}`;
}

const TABLES = sql`pg_class c left join imports i on i.id = substr(c.relname, ${PREFIX.length + 1}::int)
  where c.relkind = 'r' and starts_with(c.relname, ${PREFIX}) and c.relnamespace = current_schema()::regnamespace`;

/** Drops the tables whose retention has ended. A periodic job; safe in several processes at once. */
export async function dropExpiredVerdicts(db: Db): Promise<void> {
  await dropTables(
    db,
    sql`select c.relname as name from ${TABLES} and (i.id is null or i.completed_at < clock_timestamp() - ${RETENTION})`,
  );
}

/** Drops all but the newest tables of an account. */
export async function dropSurplusVerdicts(db: Db, accountId: number): Promise<void> {
  await dropTables(
    db,
    sql`select c.relname as name from ${TABLES} and i.account_id = ${accountId}
      order by i.completed_at desc, i.id offset ${MAX_TABLES_PER_ACCOUNT}`,
  );
}

async function dropTables(db: Db, names: SQL): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(names);
  for (const { name } of rows) {
    try {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
        await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}
