import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

const DAYS_AHEAD = 7;

/**
 * Makes the partitions of `events` for today (UTC) and the week after, so that retention drops whole days. Safe to call at
 * any time from any process: what exists is left alone. Locks the parent only for the moment that a new day is attached.
 */
export async function makeEventDays(db: Db, now: Date): Promise<void> {
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const day = new Date(now.getTime() + ahead * 86_400_000).toISOString().slice(0, 10);
    const next = new Date(now.getTime() + (ahead + 1) * 86_400_000).toISOString().slice(0, 10);
    const name = sql.identifier(`events_${day.replaceAll('-', '')}`);
    await db.execute(
      sql`create table if not exists ${name} partition of events for values from (${sql.raw(`'${day}'`)}) to (${sql.raw(`'${next}'`)})`,
    );
  }
}
