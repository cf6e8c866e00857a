import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { countChanges, eachColumn, isOwnStep, useMemory } from './write-decisions.ts';
import { type Decided, readConflicts } from './decide-rows.ts';
import { lockMove, type Move, type MovePlace } from '../move.ts';

/** `steps`: the number that was undone */
export interface UndoneSteps extends Decided {
  steps: number;
}

/**
 * Takes back the actor's last steps, at most `steps`. A row that another step decided since stays, and is a conflict.
 * Throws as lockMove, and BUSY.
 */
export async function undoSteps(
  db: Db,
  actor: Actor,
  { steps, ...place }: MovePlace & { steps: number },
): Promise<UndoneSteps> {
  return writeTransaction(db, actor, async (tx) => {
    const move = await lockMove(tx, actor, place);
    const last = await queryRows<{ id: number }>(tx)`
      select s.id from move_steps s where ${isOwnStep(actor, move)} order by s.id desc limit ${steps}`;
    if (last.length === 0) return { steps: 0, updated: 0, conflicts: [], conflictCount: 0 };
    const ids = last.map(({ id }) => id);
    const updated = await restoreRows(tx, move, ids);
    const undone = sql.param(ids);
    // Those that restoreRows did not delete.
    const left = sql`select distinct s.url from move_step_rows s where s.step_id = any(${undone}::bigint[])`;
    const conflicts = await readConflicts(tx, actor, move, { urls: left });
    await tx.execute(sql`delete from move_step_rows where step_id = any(${undone}::bigint[])`);
    await tx.execute(sql`
      insert into move_rules select (jsonb_populate_record(null::move_rules, s.removed_rule)).* from move_steps s
      where s.id = any(${undone}::bigint[]) and s.removed_rule is not null on conflict do nothing`);
    // After that: an undone step may have stored a rule that a later one has removed.
    await tx.execute(sql`delete from move_rules where move_id = ${move.id} and step = any(${undone}::bigint[])`);
    await tx.execute(sql`delete from move_steps where id = any(${undone}::bigint[])`);
    return { steps: ids.length, updated, ...conflicts };
  });
}

/** Follows each row from the step that decided it to the oldest of these steps before it. Returns the number of rows. */
async function restoreRows(tx: Queryable, move: Move, ids: number[]): Promise<number> {
  await useMemory(tx);
  const undone = sql.param(ids);
  const former = eachColumn((name) => `s.${name}`);
  const [counts] = await queryRows<{ updated: number }>(tx)`
    with recursive chain as (
        select s.step_id, s.url, ${former}, r.weight, r.decision is not null as was_decided
        from move_step_rows s
        join move_rows r on r.move_id = ${move.id} and r.url = s.url and r.step = s.step_id
        where s.step_id = any(${undone}::bigint[])
        union all
        select s.step_id, s.url, ${former}, h.weight, h.was_decided
        from chain h join move_step_rows s on s.step_id = h.step and s.url = h.url
        where h.step = any(${undone}::bigint[])),
      c as materialized (select distinct on (url) * from chain order by url, step_id),
      used as (delete from move_step_rows s using chain h where s.step_id = h.step_id and s.url = h.url),
      written as (
        update move_rows r set (${eachColumn((name) => name)}) = (${eachColumn((name) => `c.${name}`)}),
          revision = r.revision + 1
        from c where r.move_id = ${move.id} and r.url = c.url)
    ${countChanges(move)}`;
  return counts?.updated ?? 0;
}
