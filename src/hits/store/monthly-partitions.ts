/** The partitions of hits: one a month, so that retention drops whole months instead of deleting rows. */
import { utcDay } from '../../platform/clock.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { LOCKS, withAdvisoryLock } from '../../db/advisory-lock.ts';

const TABLES = ['website_hits', 'redirect_hits'] as const;
/** Rows are rewritten every second while they are followed: with room in their page that is cheap. */
const FILLFACTOR = 70;
const MONTHS_AHEAD = 2;

/** Makes the partitions of the month of a day (`YYYY-MM-DD`) where they are not there. Safe on several processes at a time. */
export async function createMonthlyPartitions(db: Db, day: string): Promise<void> {
  const month = monthOf(day);
  const missing = await missingTables(db, month);
  if (missing.length === 0) return;
  await withAdvisoryLock(db, LOCKS.hitPartitions, async () => {
    const bounds = sql.raw(`from ('${month}-01') to ('${nextMonth(month)}-01')`);
    for (const table of await missingTables(db, month))
      await db.execute(
        sql`create table ${sql.identifier(partition(table, month))} partition of ${sql.identifier(table)}
          for values ${bounds} with (fillfactor = ${sql.raw(String(FILLFACTOR))})`,
      );
  });
}

/** Makes those of this month and the two after, so that no hit waits for its month. */
export async function createMonthlyPartitionsAhead(db: Db, now: Date): Promise<void> {
  let month = monthOf(utcDay(now));
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await createMonthlyPartitions(db, `${month}-01`);
    month = nextMonth(month);
  }
}

/** Drops the months that are wholly older than `days` before today (UTC). Answers the names of the tables that went. */
export async function dropOldHitMonths(db: Db, now: Date, days: number): Promise<string[]> {
  const oldestKept = utcDay(now, -days);
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(array['website_hits'::regclass, 'redirect_hits'::regclass]) order by 1`);
  const old = rows.map(({ name }) => name).filter((name) => isOld(name, oldestKept));
  if (old.length === 0) return [];
  await withAdvisoryLock(db, LOCKS.hitPartitions, async () => {
    for (const name of old) await db.execute(sql`drop table if exists ${sql.identifier(name)}`);
  });
  return old;
}

function isOld(partitionName: string, oldestKept: string): boolean {
  const [, year, month] = /_(\d{4})(\d\d)$/.exec(partitionName) ?? [];
  return year !== undefined && month !== undefined && `${nextMonth(`${year}-${month}`)}-01` <= oldestKept;
}

/** True for a row `h` of the month of a day: then no other partition is looked at. */
export function inMonthOf(day: string): SQL {
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

function partition(table: string, month: string): string {
  return `${table}_${month.replace('-', '')}`;
}

async function missingTables(db: Db, month: string): Promise<string[]> {
  const names = TABLES.map((table) => partition(table, month));
  const { rows } = await db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relname = any(${sql.param(names)}::text[]) and relnamespace = current_schema()::regnamespace`,
  );
  const there = new Set(rows.map(({ name }) => name));
  return TABLES.filter((table) => !there.has(partition(table, month)));
}
