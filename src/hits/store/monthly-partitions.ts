/** Monthly partitions of the hit tables, so that retention drops tables instead of deleting rows. */
import { type Db, type Queryable, queryableOf } from '../../db/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { existingTables } from '../../db/rows.ts';
import { utcDay } from '../../platform/clock.ts';
import { LOCKS, withAdvisoryLock } from '../../db/advisory-lock.ts';

const TABLES = ['website_hits', 'redirect_hits'] as const;
/** Leaves room in each page for the updates that active rows get every second. */
const FILLFACTOR = 70;
const MONTHS_AHEAD = 2;

/** Creates the partitions for the month of a day (`YYYY-MM-DD`) unless they exist. Safe in several processes. */
export async function createMonthlyPartitions(db: Db, day: string): Promise<void> {
  const month = monthOf(day);
  const missing = await missingTables(db, month);
  if (missing.length === 0) return;
  await withAdvisoryLock(db, LOCKS.hitPartitions, async (client) => {
    const locked = queryableOf(client);
    const bounds = sql.raw(`from ('${month}-01') to ('${nextMonth(month)}-01')`);
    for (const table of await missingTables(locked, month))
      await locked.execute(
        sql`create table ${sql.identifier(partitionName(table, month))} partition of ${sql.identifier(table)}
          for values ${bounds} with (fillfactor = ${sql.raw(String(FILLFACTOR))})`,
      );
  });
}

/** Creates the partitions of this month and the next two, so that no write has to create one. */
export async function createMonthlyPartitionsAhead(db: Db, now: Date): Promise<void> {
  let month = monthOf(utcDay(now));
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await createMonthlyPartitions(db, `${month}-01`);
    month = nextMonth(month);
  }
}

/** Drops the months that end more than `days` days before today (UTC). Returns the names of the dropped tables. */
export async function dropExpiredMonths(db: Db, now: Date, days: number): Promise<string[]> {
  const cutoff = utcDay(now, -days);
  const expired = (await hitPartitions(db)).filter((name) => lastDayOf(name) < cutoff);
  if (expired.length === 0) return [];
  await withAdvisoryLock(db, LOCKS.hitPartitions, async (client) => {
    const locked = queryableOf(client);
    for (const name of expired) await locked.execute(sql`drop table if exists ${sql.identifier(name)}`);
  });
  return expired;
}

/** Returns the names of the partitions of both tables, in order. */
export async function hitPartitions(db: Queryable): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(array['website_hits'::regclass, 'redirect_hits'::regclass])
      and c.relname ~ '_[0-9]{6}$' order by c.relname collate "C"`);
  return rows.map(({ name }) => name);
}

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

function monthOf(day: string): string {
  return day.slice(0, 7);
}

function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 1)).toISOString().slice(0, 7);
}

function partitionName(table: string, month: string): string {
  return `${table}_${month.replace('-', '')}`;
}

async function missingTables(db: Queryable, month: string): Promise<string[]> {
  const existing = await existingTables(
    db,
    TABLES.map((table) => partitionName(table, month)),
  );
  return TABLES.filter((table) => !existing.has(partitionName(table, month)));
}
