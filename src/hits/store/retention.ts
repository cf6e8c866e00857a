import { DAY_MS } from '../../platform/clock.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { dropOldHitMonths, createMonthlyPartitionsAhead } from './monthly-partitions.ts';

/** Rows of one delete: short enough that nobody waits for its locks. */
const BATCH = 5_000;
/** A process that has not written for so long has no batch left whose commit is in doubt. */
const WRITER_DAYS = 30;

/**
 * Makes the months that come, and forgets what is older than `days`: months of hits that are wholly older, paths that nobody has asked
 * for since, and when a redirect was last followed where there is no such redirect any more. For a loop; once an hour is plenty.
 */
export async function purgeHits(db: Db, now: Date, days: number): Promise<void> {
  await createMonthlyPartitionsAhead(db, now);
  await dropOldHitMonths(db, now, days);
  const cutoff = new Date(now.getTime() - days * DAY_MS).toISOString();
  await inBatches(() =>
    db.execute(sql`delete from not_found where ctid = any(array(
      select ctid from not_found where last_seen_at < ${cutoff}::timestamptz limit ${BATCH}))`),
  );
  await inBatches(() =>
    db.execute(sql`delete from redirect_activity where ctid = any(array(
      select a.ctid from redirect_activity a where last_hit_at < ${cutoff}::timestamptz
        and not exists (select 1 from redirects r where r.website_id = a.website_id and r.id = a.redirect_id)
      limit ${BATCH}))`),
  );
  await db.execute(
    sql`delete from hit_writers where written_at < ${now.toISOString()}::timestamptz - ${WRITER_DAYS} * interval '1 day'`,
  );
}

async function inBatches(work: () => Promise<{ rowCount: number | null }>): Promise<void> {
  while ((await work()).rowCount === BATCH);
}
