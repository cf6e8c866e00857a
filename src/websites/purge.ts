import { sql } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';

/** Rows of one delete: short enough that nobody waits for its locks or its WAL. */
const BATCH = 5_000;

/** Deleted websites are kept this long, so that every process has seen the deletion before the row goes. */
const GRACE = sql`interval '1 minute'`;

const LARGE_TABLES = [
  'redirects',
  'redirect_revisions',
  'versions',
  'deployments',
  'redirect_days',
  'redirect_groups',
  'redirect_hits',
  'website_hits',
  'redirect_activity',
  'not_found',
  'not_found_other',
] as const;

/**
 * One step of removing what deleted websites left: at most one batch. True while there is more to do, so that the caller
 * comes back at once; safe on several processes at a time.
 */
export async function purgeDeletedWebsites(db: Db): Promise<boolean> {
  const { rows } = await db.execute<{ id: number; over: boolean }>(
    sql`select id, deleting_since < now() - ${GRACE} as over from websites where deleting_since is not null order by id limit 10`,
  );
  for (const { id, over } of rows) {
    for (const table of LARGE_TABLES) {
      const name = sql.identifier(table);
      const { rowCount } = await db.execute(
        // The website once more: a row of another partition may have the same ctid.
        sql`delete from ${name} where website_id = ${id}
          and ctid = any(array(select ctid from ${name} where website_id = ${id} limit ${BATCH}))`,
      );
      if (rowCount) return true;
    }
    if (over) await db.execute(sql`delete from websites where id = ${id} and deleting_since is not null`);
  }
  return false;
}
