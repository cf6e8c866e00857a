/** Monthly partitions of the hit tables. */
import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { createPartitions, dropPartitions, partitionsOf } from '../../db/partitions.ts';
import { utcDay } from '../../platform/clock.ts';

const TABLES = ['website_hits', 'redirect_hits'] as const;
/** Leaves room in each page for the updates that active rows get every second. */
const FILLFACTOR = 70;
const MONTHS_AHEAD = 2;

/** Creates the partitions for the month of a day (`YYYY-MM-DD`) unless they exist. Safe in several processes. */
export async function createMonthlyPartitions(db: Db, day: string): Promise<void> {
  const month = monthOf(day);
  const wanted = TABLES.map((table) => ({
    table,
    name: `${table}_${month.replace('-', '')}`,
    from: `${month}-01`,
    to: `${nextMonth(month)}-01`,
    fillfactor: FILLFACTOR,
  }));
  await createPartitions(db, LOCKS.hitPartitions, wanted);
}

/** Creates the partitions of this month and the next two, so that no write has to create one. */
export async function createMonthlyPartitionsAhead(db: Db, now: Date): Promise<void> {
  let month = monthOf(utcDay(now));
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await createMonthlyPartitions(db, `${month}-01`);
    month = nextMonth(month);
  }
}

/** Drops the months that end more than `days` days before today (UTC). Throws as dropPartitions does. */
export async function dropExpiredMonths(db: Db, now: Date, days: number): Promise<void> {
  const cutoff = utcDay(now, -days);
  const expired = (await hitPartitions(db)).filter((name) => lastDayOf(name) < cutoff);
  await dropPartitions(db, expired);
}

/** Returns the names of the partitions of both tables, in order. */
export const hitPartitions = (db: Queryable): Promise<string[]> => partitionsOf(db, TABLES);

/** The last day (`YYYY-MM-DD`) of a partition. */
export function lastDayOf(partition: string): string {
  const month = partition.slice(-6);
  return utcDay(new Date(`${nextMonth(`${month.slice(0, 4)}-${month.slice(4)}`)}-01`), -1);
}

/** Condition that row `h` is in the month of a day, so that PostgreSQL prunes the other partitions. */
export function isInMonthOf(day: string): SQL {
  const month = monthOf(day);
  return sql`h.day >= ${`${month}-01`}::date and h.day < ${`${nextMonth(month)}-01`}::date`;
}

const monthOf = (day: string): string => day.slice(0, 7);

function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 1)).toISOString().slice(0, 7);
}
