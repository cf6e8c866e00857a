import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { deleteInBatches } from '../../db/rows.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { createMonthlyPartitionsAhead, dropExpiredMonths } from './monthly-partitions.ts';
import { purgeWebsiteHours } from './website-hours.ts';

/** A writer or agent that is idle for this long has no batch left of which it does not know whether it was written. */
const MAX_IDLE_DAYS = 30;

/**
 * Creates the partitions of the coming months and purges what is older than `days` days: months of hits, hits by
 * name, unmatched paths by their last request, and the last hits of deleted redirects. Meant to run once an hour.
 */
export async function purgeHits(db: Db, now: Date, days: number): Promise<void> {
  await createMonthlyPartitionsAhead(db, now);
  await dropExpiredMonths(db, now, days);
  const cutoff = new Date(now.getTime() - days * DAY_MS).toISOString();
  await deleteInBatches(db, 'named_hits', sql`t.day < ${cutoff.slice(0, 10)}::date`);
  await purgeWebsiteHours(db, now, days);
  await deleteInBatches(db, 'not_found', sql`t.last_seen_at < ${cutoff}::timestamptz`);
  const isDeleted = sql`not exists (select 1 from redirects r where r.website_id = t.website_id and r.id = t.redirect_id)`;
  await deleteInBatches(db, 'redirect_activity', sql`t.last_hit_at < ${cutoff}::timestamptz and ${isDeleted}`);
  const idle = sql`${now.toISOString()}::timestamptz - ${MAX_IDLE_DAYS} * interval '1 day'`;
  await db.execute(sql`delete from hit_writers where written_at < ${idle}`);
  await db.execute(sql`delete from hit_reports where reported_at < ${idle}`);
}
