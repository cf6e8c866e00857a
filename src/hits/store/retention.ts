import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { repeatInBatches } from '../../db/rows.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { createMonthlyPartitionsAhead, dropExpiredMonths } from './monthly-partitions.ts';

/** Rows per delete, so that its locks are short. */
const BATCH_SIZE = 5_000;
/** A writer or agent that is idle for this long has no batch left of which it does not know whether it was written. */
const MAX_IDLE_DAYS = 30;

/**
 * Creates the partitions of the coming months and purges what is older than `days` days: months of hits, unmatched
 * paths by their last request, and the last hits of deleted redirects. Meant to run once an hour.
 */
export async function purgeHits(db: Db, now: Date, days: number): Promise<void> {
  await createMonthlyPartitionsAhead(db, now);
  await dropExpiredMonths(db, now, days);
  const cutoff = new Date(now.getTime() - days * DAY_MS).toISOString();
  await repeatInBatches(BATCH_SIZE, () =>
    db.execute(sql`delete from not_found where ctid = any(array(
      select ctid from not_found where last_seen_at < ${cutoff}::timestamptz limit ${BATCH_SIZE}))`),
  );
  await repeatInBatches(BATCH_SIZE, () =>
    db.execute(sql`delete from redirect_activity where ctid = any(array(
      select a.ctid from redirect_activity a where last_hit_at < ${cutoff}::timestamptz
        and not exists (select 1 from redirects r where r.website_id = a.website_id and r.id = a.redirect_id)
      limit ${BATCH_SIZE}))`),
  );
  const idle = sql`${now.toISOString()}::timestamptz - ${MAX_IDLE_DAYS} * interval '1 day'`;
  await db.execute(sql`delete from hit_writers where written_at < ${idle}`);
  await db.execute(sql`delete from hit_reports where reported_at < ${idle}`);
}
