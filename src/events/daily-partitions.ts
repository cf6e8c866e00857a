import { LOCKS } from '../db/advisory-lock.ts';
import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { createPartitions, dropPartitions, partitionsOf } from '../db/partitions.ts';
import { repeatInBatches } from '../db/rows.ts';
import { utcDay } from '../platform/clock.ts';

/** Tables with a partition for each UTC day. `attempts` is the log of webhooks; it has the retention of events. */
const DAILY_TABLES = ['events', 'attempts'] as const;
const DAYS_AHEAD = 7;
const BATCH_SIZE = 1_000;

const partitionName = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;

/**
 * Creates the missing partitions from yesterday to a week ahead. Rows that came before their partition (the process slept
 * for over a week) stay in the default one.
 */
export async function createDailyPartitions(db: Db, now: Date): Promise<void> {
  const days = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => index - 1);
  const wanted = DAILY_TABLES.flatMap((table) =>
    days.map((ahead) => {
      const from = utcDay(now, ahead);
      return { table, name: partitionName(table, from), from, to: utcDay(now, ahead + 1) };
    }),
  );
  await createPartitions(db, LOCKS.dailyPartitions, wanted);
}

/**
 * Drops what is older than `retentionDays` full days. Throws if a long read keeps a partition locked; call it again
 * later.
 */
export async function dropOldPartitions(db: Db, now: Date, retentionDays: number): Promise<void> {
  const cutoff = utcDay(now, -retentionDays);
  for (const table of DAILY_TABLES) {
    const partitions = await partitionsOf(db, [table]);
    await dropPartitions(
      db,
      partitions.filter((name) => name < partitionName(table, cutoff)),
    );
    const rest = sql.identifier(`${table}_default`);
    await repeatInBatches(BATCH_SIZE, (limit) =>
      db.execute(
        sql`delete from ${rest} where ctid = any (array(select ctid from ${rest} where day < ${cutoff}::date limit ${limit}))`,
      ),
    );
  }
}
