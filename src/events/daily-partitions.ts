import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { isCheckViolation } from '../db/errors.ts';
import { repeatInBatches } from '../db/rows.ts';
import { utcDay } from '../platform/clock.ts';

/** Tables with a partition for each UTC day. `attempts` is the log of webhooks; it has the retention of events. */
const DAILY_TABLES = ['events', 'attempts'] as const;
const DAYS_AHEAD = 7;
const BATCH_SIZE = 1_000;
/** Short, because every query of the table queues behind the wait for its lock. The next run retries. */
const LOCK_TIMEOUT_MS = 200;

type DailyTable = (typeof DAILY_TABLES)[number];

const partitionName = (table: DailyTable, day: string): string => `${table}_${day.replaceAll('-', '')}`;

/**
 * Creates the missing partitions from yesterday to a week ahead. Safe to call at any time from any process. Locks the
 * parent only while it attaches a new partition. Rows that came before their partition (the process slept for over a
 * week) stay in the default one.
 */
export async function createDailyPartitions(db: Db, now: Date): Promise<void> {
  for (const table of DAILY_TABLES) {
    for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
      const day = utcDay(now, ahead);
      const name = sql.identifier(partitionName(table, day));
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
        await tx.execute(sql`drop table ${sql.identifier(name)}`);
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
