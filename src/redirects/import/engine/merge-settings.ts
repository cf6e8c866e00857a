/** Memory and statistics of the database for statements that change many redirects. */
import { type Db, type Queryable, withClient } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';

/** Memory of the joins and sorts: a share of what the server grants a maintenance command, at most 256 MB. */
export async function raiseWorkMem(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    select set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')),
      least(pg_size_bytes(current_setting('maintenance_work_mem')) / 4, pg_size_bytes('256MB'))) / 1024 || 'kB', true)`);
}

/** Changed rows that renew the statistics at once: until autovacuum runs, small changes would scan all new rows. */
const ANALYZE_THRESHOLD = 10_000;

/** Renews the statistics after a transaction with many rows. `updated`: rows that left a former state. */
export async function renewStatistics(
  db: Db,
  { created, updated }: { created: number; updated: number },
): Promise<void> {
  if (created + updated < ANALYZE_THRESHOLD) return;
  await withClient(db, async (client) => {
    // A sample of 3,000 rows shows that the table is large, in a tenth of the default sample's time.
    await client.query('set default_statistics_target = 10');
    await client.query('analyze redirects (website_id, id, key, rev)');
    if (updated >= ANALYZE_THRESHOLD) await client.query('analyze redirect_revisions');
    await client.query('reset default_statistics_target');
  });
}
