/** Leases of moves: one process at a time matches a move, and another one goes on when its lease has expired. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { newId } from '../../platform/ids.ts';

const LEASE = sql.raw(`interval '60 seconds'`);
/** With fewer decisions nothing is learnt from them. */
const MIN_LEARNT = 10;

export interface Claim {
  moveId: string;
  lease: string;
}

/** SQL conditions on a move `m`: rows have no suggestions yet; decisions are twice those that were learnt from. */
const IS_UNMATCHED = sql.raw(`(m.state <> 'failed' and m.matched < m.rows)`);
const HAS_DECISIONS = sql.raw(
  `(m.state in ('ready', 'applied') and m.decided >= ${MIN_LEARNT} and m.decided >= 2 * m.learnt_from)`,
);

/** Claims a move that has something to match, of the account whose moves have waited longest. */
export async function claimMove(db: Db): Promise<Claim | undefined> {
  const lease = newId('');
  const isFree = sql`(m.lease is null or m.lease_until < now())`;
  const [claimed] = await queryRows<Claim>(db)`
    update moves m set lease = ${lease}, lease_until = now() + ${LEASE}
    where ${isFree} and m.id = (
      select m.id from moves m join websites w on w.id = m.website_id
      where ${isFree} and (${IS_UNMATCHED} or ${HAS_DECISIONS}) and w.deleting_since is null
      order by max(m.lease_until) over (partition by w.account_id) nulls first, m.lease_until nulls first, m.created_at
      limit 1)
    returning m.id as move_id, m.lease`;
  return claimed;
}

/** SQL condition on `moves`: the lease still holds, for the candidates that the matching reads. */
export const isHeld = ({ moveId, lease, generation }: Claim & { generation: number }) =>
  sql`id = ${moveId} and lease = ${lease} and generation = ${generation}::int`;

/** Renews a lease. False if it is lost: the move is deleted, was refreshed, or another process has it. */
export async function renewClaim(db: Queryable, claim: Claim & { generation: number }): Promise<boolean> {
  const { rowCount } = await db.execute(sql`update moves set lease_until = now() + ${LEASE} where ${isHeld(claim)}`);
  return rowCount === 1;
}

/** Gives a claim back. `learntFrom`: decisions that suggestions were learnt from. The last row makes the move ready. */
export async function releaseClaim(
  db: Queryable,
  claim: Claim & { generation: number },
  learntFrom?: number,
): Promise<void> {
  await queryRows(db)`
    update moves m set lease = null, lease_until = now(), learnt_from = coalesce(${learntFrom ?? null}::int, learnt_from),
      state = case when state <> 'matching' or matched < rows then state when applied_at is null then 'ready' else 'applied' end
    where ${isHeld(claim)}`;
}

/** Ends the matching of a process that stops: its next batch finds the lease lost, and another process goes on at once. */
export async function abandonClaim(db: Queryable, { moveId, lease }: Claim): Promise<void> {
  await queryRows(db)`update moves set lease = null where id = ${moveId} and lease = ${lease}`;
}

/** Stores that the matching of a move failed. A refresh starts it again. */
export async function failMove(db: Queryable, { moveId, lease }: Claim): Promise<void> {
  const error = 'The suggestions could not be computed; refresh the move to compute them again';
  await queryRows(db)`
    update moves set state = 'failed', error = ${error}, lease = null where id = ${moveId} and lease = ${lease}`;
}
