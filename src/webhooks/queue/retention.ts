import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { cancelOrphans } from './cancel-orphans.ts';
import { DAILY_TABLES } from '../../events/daily-partitions.ts';
import { utcDay } from '../../platform/clock.ts';

/** Rows that one statement changes: nobody waits for it. */
const BATCH = 1_000;
/** Dropping a day locks its table for a moment; when that is not to be had soon, everybody would queue behind: the next run tries again. */
const LOCK_WITHIN_MS = 200;

/**
 * Forgets what is older than `retentionDays` full days: first waiting deliveries of such events fail as expired, then finished deliveries
 * go, and last the days of events and attempts themselves. Also ends what is left over of deleted webhooks, removes
 * previous secrets whose overlap is over, and deactivates receivers that have been failing for too long and get nothing new. For a loop; once an hour is plenty.
 */
export async function purgeWebhooks(db: Db, now: Date, retentionDays: number): Promise<void> {
  const cutoff = utcDay(now, -retentionDays);
  await cancelOrphans(db, now);
  await expirePending(db, now, cutoff);
  await deleteFinished(db, cutoff);
  await removePreviousSecrets(db, now);
  await deactivateFailing(db, now);
  // Last: it throws where somebody is reading for long, and the next run tries again.
  await dropDays(db, cutoff);
}

async function expirePending(db: Db, now: Date, cutoff: string): Promise<void> {
  await inBatches(() =>
    db.execute(sql`
      update deliveries set state = 'failed', finished_at = ${now.toISOString()}::timestamptz,
        last_error = 'expired: the event is no longer kept'
      where id in (select id from deliveries where state = 'pending' and event_day < ${cutoff}::date and test_body is null
        limit ${BATCH} for update skip locked)`),
  );
}

async function deleteFinished(db: Db, cutoff: string): Promise<void> {
  await inBatches(() =>
    db.execute(sql`
      delete from deliveries where id in (
        select id from deliveries where finished_at < ${cutoff}::date::timestamp at time zone 'UTC'
        order by finished_at limit ${BATCH} for update skip locked)`),
  );
}

async function dropDays(db: Db, cutoff: string): Promise<void> {
  for (const table of DAILY_TABLES) {
    const oldest = `${table}_${cutoff.replaceAll('-', '')}`;
    const { rows } = await db.execute<{ name: string }>(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::regclass and c.relname ~ ${`^${table}_\\d{8}$`} and c.relname < ${oldest} order by 1`);
    for (const { name } of rows) {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_WITHIN_MS}`));
        await tx.execute(sql`drop table ${sql.identifier(name)}`);
      });
    }
    const rest = sql.identifier(`${table}_default`);
    await inBatches(() =>
      db.execute(
        sql`delete from ${rest} where ctid = any (array(select ctid from ${rest} where day < ${cutoff}::date limit ${BATCH}))`,
      ),
    );
  }
}

async function removePreviousSecrets(db: Db, now: Date): Promise<void> {
  await db.execute(sql`
    update webhooks set previous_secret = null, previous_secret_until = null, sign_with = 'current'
    where previous_secret_until <= ${now.toISOString()}::timestamptz`);
}

/** The rule of finish_deliveries, for a receiver that nothing was sent to since its time was up. */
async function deactivateFailing(db: Db, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await db.execute(sql`
    update webhooks set is_active = false, deactivated_at = ${at}, deactivated_reason = 'failing'
    where is_active and exhausted and failing_since <= ${at} - interval '8 days'`);
}

async function inBatches(step: () => Promise<{ rowCount: number | null }>): Promise<void> {
  for (;;) {
    const { rowCount } = await step();
    if ((rowCount ?? 0) < BATCH) return;
  }
}
