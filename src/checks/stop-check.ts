import type { Db } from '../db/connection/client.ts';
import { deleteInBatches, queryRows } from '../db/rows.ts';
import { sql } from '../db/drizzle.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { requireEditableRow } from '../websites/website.ts';
import { at, type Check, type CheckPlace, requireCheck } from './check.ts';

const RETENTION = sql.raw(`interval '90 days'`);
const STATES_BATCH = 5_000;
const PARTS = ['check_rules', 'check_targets'] as const;

/**
 * Stops a check, and the retries of its errors. Its process finds the lease lost within seconds. Results stay; one that
 * has ended does not change. Throws as requireCheck, and INSUFFICIENT_ROLE.
 */
export async function stopCheck(db: Db, actor: Actor, place: CheckPlace, now: Date): Promise<Check> {
  await requireEditableRow(db, actor, place.websiteId);
  await requireCheck(db, actor, place);
  await queryRows(db)`
    update checks set status = 'stopped', ended_at = ${at(now)}, next_at = null, lease = null
    where id = ${place.checkId} and status in ('queued', 'running')`;
  return requireCheck(db, actor, place);
}

/**
 * Deletes checks that are 90 days old, if a later check of the kind and environment has asked all targets. Also deletes
 * states of targets of deleted redirects, and hosts and robots.txt files that are a day old.
 */
export async function purgeChecks(db: Db, now: Date): Promise<void> {
  const old = await queryRows<{ id: string }>(db)`
    select c.id from checks c where c.created_at < ${at(now)} - ${RETENTION} and exists (
      select from checks l where l.website_id = c.website_id and l.kind = c.kind and l.environment = c.environment
        and l.created_at > c.created_at and l.status = 'completed' and l.filter is null and l.postponed = 0)`;
  for (const { id } of old) {
    for (const table of PARTS) await deleteInBatches(db, table, sql`t.check_id = ${id}`);
    await db.execute(sql`delete from checks where id = ${id}`);
  }
  await purgeTargetStates(db);
  await deleteInBatches(db, 'check_hosts', sql`t.next_at < ${at(now)} - interval '1 day'`);
  await deleteInBatches(db, 'check_robots', sql`t.fetched_at < ${at(now)} - interval '1 day'`);
}

interface StateKey {
  websiteId: number;
  redirectId: number;
}

/** Reads the states in the order of their key, a batch at a time, so that no statement reads all of a large website. */
async function purgeTargetStates(db: Db): Promise<void> {
  for (let after: StateKey | undefined = { websiteId: 0, redirectId: 0 }; after;) after = await purgeBatch(db, after);
}

/** Returns the last state that it has read; undefined after the last one. */
async function purgeBatch(db: Db, { websiteId, redirectId }: StateKey): Promise<StateKey | undefined> {
  const [last] = await queryRows<StateKey>(db)`
    with batch as materialized (
      select t.website_id, t.redirect_id from target_states t
      where (t.website_id, t.redirect_id) > (${websiteId}::int, ${redirectId}::bigint)
      order by t.website_id, t.redirect_id limit ${STATES_BATCH}),
    gone as (
      delete from target_states t using batch b
      where t.website_id = b.website_id and t.redirect_id = b.redirect_id
        and not exists (select from redirects r where r.website_id = b.website_id and r.id = b.redirect_id))
    select * from batch order by website_id desc, redirect_id desc limit 1`;
  return last;
}
