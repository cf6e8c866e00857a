import { utcDay } from '../platform/clock.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { isCheckViolation } from '../db/errors.ts';

/** What grows by the day, and is dropped by the day. */
export const DAILY_TABLES = ['events', 'attempts'] as const;
const DAYS_AHEAD = 7;

/**
 * Makes the partitions of `events` and `attempts` for today (UTC) and the week after, so that retention drops whole days. Safe to
 * call at any time from any process: what exists is left alone. Locks the parent only for the moment that a new day is attached.
 * A day whose rows came before its partition (the process slept for longer than a week) stays in the default one.
 */
export async function createDailyPartitions(db: Db, now: Date): Promise<void> {
  for (const table of DAILY_TABLES) {
    for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
      const day = utcDay(now, ahead);
      const name = sql.identifier(`${table}_${day.replaceAll('-', '')}`);
      const bounds = sql.raw(`from ('${day}') to ('${utcDay(now, ahead + 1)}')`);
      try {
        await db.execute(
          sql`create table if not exists ${name} partition of ${sql.identifier(table)} for values ${bounds}`,
        );
      } catch (error) {
        if (!isCheckViolation(error)) throw error;
      }
    }
  }
}
