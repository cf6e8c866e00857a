import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { isCheckViolation } from '../db/postgres-errors.ts';

const DAYS_AHEAD = 7;

/**
 * Makes the partitions of `events` for today (UTC) and the week after, so that retention drops whole days. Safe to call at
 * any time from any process: what exists is left alone. Locks the parent only for the moment that a new day is attached.
 * A day whose events came before its partition (the process slept for longer than a week) stays in the default one.
 */
export async function makeEventDays(db: Db, now: Date): Promise<void> {
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const day = new Date(now.getTime() + ahead * 86_400_000).toISOString().slice(0, 10);
    const next = new Date(now.getTime() + (ahead + 1) * 86_400_000).toISOString().slice(0, 10);
    const name = sql.identifier(`events_${day.replaceAll('-', '')}`);
    const bounds = sql.raw(`from ('${day}') to ('${next}')`);
    try {
      await db.execute(sql`create table if not exists ${name} partition of events for values ${bounds}`);
    } catch (error) {
      if (!isCheckViolation(error)) throw error;
    }
  }
}
