import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { repeatInBatches } from '../../db/rows.ts';
import { utcDay } from '../../platform/clock.ts';
import { cancelOrphans } from './cancel-orphans.ts';
import { DEACTIVATE_AFTER_DAYS, signalDisabled } from './finish.ts';
import { IS_ACTIVE } from './queue-stats.ts';

const BATCH_SIZE = 1_000;

/**
 * Hourly maintenance of webhooks. Pending deliveries of events older than `retentionDays` full days fail as expired,
 * and deliveries that finished before then are deleted. Also cancels deliveries of deleted webhooks, removes previous
 * secrets after their overlap, and deactivates receivers that failed for too long. Run it before dropOldPartitions,
 * which drops the events.
 */
export async function purgeWebhooks(db: Db, now: Date, retentionDays: number): Promise<void> {
  const cutoff = utcDay(now, -retentionDays);
  await cancelOrphans(db, now);
  await expirePending(db, now, cutoff);
  await deleteFinished(db, cutoff);
  await removePreviousSecrets(db, now);
  await deactivateFailing(db, now);
}

async function expirePending(db: Db, now: Date, cutoff: string): Promise<void> {
  await repeatInBatches(BATCH_SIZE, (limit) =>
    db.execute(sql`
      update deliveries set state = 'failed', finished_at = ${now.toISOString()}::timestamptz, message = null,
        last_error = 'expired: the event is no longer kept'
      where id in (select id from deliveries where state = 'pending' and event_day < ${cutoff}::date and test_body is null
        limit ${limit} for update skip locked)`),
  );
}

async function deleteFinished(db: Db, cutoff: string): Promise<void> {
  await repeatInBatches(BATCH_SIZE, (limit) =>
    db.execute(sql`
      delete from deliveries where id in (
        select id from deliveries where finished_at < ${cutoff}::date::timestamp at time zone 'UTC'
        order by finished_at limit ${limit} for update skip locked)`),
  );
}

async function removePreviousSecrets(db: Db, now: Date): Promise<void> {
  await db.execute(sql`
    update webhooks set previous_secret = null, previous_secret_until = null, sign_with = 'current'
    where previous_secret_until <= ${now.toISOString()}::timestamptz`);
}

/** Applies the rule of finish.ts to receivers that were sent nothing since their time was up. */
async function deactivateFailing(db: Db, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await db.execute(sql`
    with ended as (
      update webhooks w set is_active = false, deactivated_at = ${at}, deactivated_reason = 'failing'
      where ${IS_ACTIVE} and exhausted and failing_since <= ${at} - make_interval(days => ${DEACTIVATE_AFTER_DAYS})
      returning w.*)
    ${signalDisabled(sql`ended w where true`)}`);
}
