/** Leases of checks: one process at a time runs a check, and another one goes on when its lease has expired. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { at, type Check } from '../check.ts';

/** After this time in milliseconds, a check ends its turn if another one waits for a process. */
const SLICE_MS = 30_000;
/** From the last sign of life of a process until another one goes on. */
const LEASE = sql.raw(`interval '30 seconds'`);

export interface Claim {
  checkId: string;
  lease: string;
}

/** Condition on checks `c`: due, and no process runs it. Completed ones are due while errors are tried again. */
const isFree = (now: Date): SQL => sql`
  c.next_at <= ${at(now)} and (c.lease is null or c.lease_until < ${at(now)}) and exists (
    select from websites w where w.id = c.website_id and w.deleting_since is null)`;

/** Claims a check that no process has run, or the one that has waited longest for its next turn. */
export async function claimCheck(db: Queryable, now: Date): Promise<Claim | undefined> {
  const lease = newId('');
  const [claimed] = await queryRows<Claim>(db)`
    update checks set lease = ${lease}, lease_until = ${at(now)} + ${LEASE},
      status = case status when 'queued' then 'running' else status end, started_at = coalesce(started_at, ${at(now)})
    where id = (
      select c.id from checks c where ${isFree(now)}
      order by c.lease_until nulls first, c.next_at limit 1 for update skip locked)
    returning id as check_id, lease`;
  return claimed;
}

/** True if a check waits for a process. */
async function isAnotherDue(db: Queryable, now: Date): Promise<boolean> {
  const found = await queryRows(db)`select from checks c where ${isFree(now)} limit 1`;
  return found.length > 0;
}

/** The time that a check has if others wait. It then ends: it launches no more targets, and after a while it is over. */
export function createSlice({ db, clock }: { db: Queryable; clock: Clock }, sliceMs = SLICE_MS) {
  let endAt = stopwatch() + sliceMs;
  let isEnding = false;
  return {
    isEnding: () => isEnding,
    async isOver(): Promise<boolean> {
      if (stopwatch() < endAt) return false;
      if (isEnding) return true;
      isEnding = await isAnotherDue(db, clock.now());
      endAt = stopwatch() + sliceMs / 3;
      return false;
    },
  };
}

/** SQL condition on `checks`: the lease still holds. */
export const isHeld = ({ checkId, lease }: Claim): SQL => sql`(id = ${checkId} and lease = ${lease})`;

/** SET of an update of `checks` that renews a lease. */
export const renewed = (now: Date): SQL => sql`lease_until = ${at(now)} + ${LEASE}`;

/** Renews a lease. False if it is lost: the check was stopped, its website is deleted, or another process has it. */
export async function renewClaim(db: Queryable, claim: Claim, now: Date): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    update checks set ${renewed(now)} where ${isHeld(claim)} and exists (
      select from websites w where w.id = website_id and w.deleting_since is null)`);
  return rowCount === 1;
}

/** Returns the claimed check; undefined if the lease is lost. */
export async function readClaimed(db: Queryable, claim: Claim): Promise<Check | undefined> {
  const [check] = await queryRows<Check>(db)`select * from checks where ${isHeld(claim)}`;
  return check;
}

/** Gives a claim back. The check is due again with its next target. */
export async function releaseClaim(db: Queryable, claim: Claim): Promise<void> {
  await db.execute(sql`
    update checks set lease = null, next_at = (
      select min(due_at) from check_targets t where t.check_id = ${claim.checkId} and t.due_at is not null)
    where ${isHeld(claim)}`);
}

/** Ends the claims of a process that stops: its next write finds the lease lost, and another process goes on at once. */
export async function abandonClaims(db: Db, claims: Iterable<Claim>): Promise<void> {
  const leases = sql.param([...claims].map(({ lease }) => lease));
  await db.execute(sql`update checks set lease = null where lease = any(${leases}::text[])`);
}

/** Ends a check that cannot go on. */
export async function failCheck(db: Queryable, claim: Claim, error: string, now: Date): Promise<void> {
  await db.execute(sql`
    update checks set next_at = null, lease = null, ended_at = coalesce(ended_at, ${at(now)}),
      status = case status when 'running' then 'failed' else status end,
      error = case status when 'running' then ${error} end
    where ${isHeld(claim)}`);
}
