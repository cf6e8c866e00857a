import { LOCKS, withAdvisoryLock } from '../db/advisory-lock.ts';
import { type Db, type Queryable, queryableOf } from '../db/client.ts';
import { sql } from '../db/drizzle.ts';
import { isCheckViolation } from '../db/errors.ts';
import { existingTables, repeatInBatches } from '../db/rows.ts';
import { utcDay } from '../platform/clock.ts';

/** Tables with a partition for each UTC day. `attempts` is the log of webhooks; it has the retention of events. */
const DAILY_TABLES = ['events', 'attempts'] as const;
const DAYS_AHEAD = 7;
const BATCH_SIZE = 1_000;
/** Short, because every query of the table queues behind the wait for its lock. The next run retries. */
const LOCK_TIMEOUT_MS = 200;

type DailyTable = (typeof DAILY_TABLES)[number];

const partitionName = (table: DailyTable, day: string): string => `${table}_${day.replaceAll('-', '')}`;

interface Partition {
  table: DailyTable;
  name: string;
  from: string;
  to: string;
}

/**
 * Creates the missing partitions from yesterday to a week ahead. Safe to call at any time from any process: one creates,
 * the others wait and find them. Locks the parent only while it attaches a new partition. Rows that came before their
 * partition (the process slept for over a week) stay in the default one.
 */
export async function createDailyPartitions(db: Db, now: Date): Promise<void> {
  if ((await missingPartitions(db, now)).length === 0) return;
  await withAdvisoryLock(db, LOCKS.dailyPartitions, async (client) => {
    const locked = queryableOf(client);
    for (const { table, name, from, to } of await missingPartitions(locked, now)) {
      const bounds = sql.raw(`from ('${from}') to ('${to}')`);
      try {
        await locked.execute(
          sql`create table ${sql.identifier(name)} partition of ${sql.identifier(table)} for values ${bounds}`,
        );
      } catch (error) {
        if (!isCheckViolation(error)) throw error;
      }
    }
  });
}

/** A lookup by name in the catalog: takes no lock on the tables. */
async function missingPartitions(db: Queryable, now: Date): Promise<Partition[]> {
  const wanted: Partition[] = [];
  for (const table of DAILY_TABLES) {
    for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
      const from = utcDay(now, ahead);
      wanted.push({ table, name: partitionName(table, from), from, to: utcDay(now, ahead + 1) });
    }
  }
  const existing = await existingTables(
    db,
    wanted.map(({ name }) => name),
  );
  return wanted.filter(({ name }) => !existing.has(name));
}

/**
 * Drops what is older than `retentionDays` full days. Throws if a long read keeps a partition locked; call it again
 * later.
 */
export async function dropOldPartitions(db: Db, now: Date, retentionDays: number): Promise<void> {
  const cutoff = utcDay(now, -retentionDays);
  for (const table of DAILY_TABLES) {
    for (const name of await partitionsBefore(db, table, cutoff)) {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
        await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
      });
    }
    const rest = sql.identifier(`${table}_default`);
    await repeatInBatches(BATCH_SIZE, (limit) =>
      db.execute(
        sql`delete from ${rest} where ctid = any (array(select ctid from ${rest} where day < ${cutoff}::date limit ${limit}))`,
      ),
    );
  }
}

async function partitionsBefore(db: Db, table: DailyTable, day: string): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and c.relname ~ ${`^${table}_\\d{8}$`} and c.relname < ${partitionName(table, day)}
    order by 1`);
  return rows.map(({ name }) => name);
}
