import type { Db } from '../../../db/connection/client.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { repeatInBatches } from '../../../db/rows.ts';

/** Rows per delete, so that its locks and WAL are small. */
const BATCH_SIZE = 5_000;
/** Imports whose errors one statement looks for. */
const MAX_IMPORTS = 1_000;
/** Ended imports that an account keeps: a small plan must not fill the disk with the errors of many dry runs. */
const MAX_PER_ACCOUNT = 1_000;

/**
 * Deletes the imports that ended more than `days` days ago, and of each account all but the newest 1,000, with their
 * errors. Uses the clock of the database, which sets their times. Meant to run once an hour; safe in several processes
 * at once.
 */
export async function purgeImports(db: Db, days: number): Promise<void> {
  await purge(
    db,
    sql`select id from imports
      where status <> 'running' and completed_at < clock_timestamp() - make_interval(days => ${days}::int)`,
  );
  await purge(
    db,
    sql`select id from (
        select id, row_number() over (partition by account_id order by created_at desc, id) as place
        from imports where status <> 'running') ranked
      where place > ${MAX_PER_ACCOUNT}`,
  );
}

async function purge(db: Db, selected: SQL): Promise<void> {
  for (;;) {
    const { rows } = await db.execute<{ id: string }>(sql`${selected} limit ${MAX_IMPORTS}`);
    if (rows.length === 0) return;
    const ids = sql`${sql.param(rows.map(({ id }) => id))}::text[]`;
    await repeatInBatches(BATCH_SIZE, (limit) =>
      db.execute(sql`delete from import_errors where ctid = any(array(
        select ctid from import_errors where import_id = any(${ids}) limit ${limit}))`),
    );
    await db.execute(sql`delete from imports where id = any(${ids})`);
  }
}
