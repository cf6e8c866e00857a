import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../db/rows.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { lockMove, type MovePlace } from './move.ts';

const PARTS = [
  'move_step_rows',
  'move_steps',
  'move_rules',
  'move_suggestions',
  'move_candidates',
  'move_rows',
] as const;

/**
 * Deletes a move, which also ends its matching. purgeMove deletes its rows. Throws MOVE_NOT_FOUND, WEBSITE_NOT_FOUND and
 * INSUFFICIENT_ROLE.
 */
export async function deleteMove(db: Db, actor: Actor, place: MovePlace): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMove(tx, actor, place);
    await tx.execute(sql`delete from moves where id = ${place.moveId}`);
  });
}

/** Deletes the rows of a deleted move in short statements. */
export async function purgeMove(db: Db, moveId: string): Promise<void> {
  for (const table of PARTS) await deleteInBatches(db, table, sql`t.move_id = ${moveId}`);
}

/** Deletes the rows of moves whose deletion was interrupted, and moves of websites that no longer exist. */
export async function purgeMoves(db: Db): Promise<void> {
  await db.execute(sql`delete from moves m where not exists (select from websites w where w.id = m.website_id)`);
  for (const table of PARTS) {
    const name = sql.identifier(table);
    // Steps from one move to the next one in an index: all rows may be millions.
    const left = await queryRows<{ id: string }>(db)`
      with recursive ids as (
        select min(move_id) as id from ${name}
        union all select (select min(t.move_id) from ${name} t where t.move_id > ids.id) from ids where ids.id is not null)
      select id from ids where id is not null and not exists (select from moves m where m.id = ids.id)`;
    for (const { id } of left) await deleteInBatches(db, table, sql`t.move_id = ${id}`);
  }
}
