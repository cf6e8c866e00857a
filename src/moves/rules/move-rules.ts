/** Rules of a move: patterns that stand for many decisions. */
import { type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import { learnRules } from '../../suggestions/rules/learn-rules.ts';
import type { LearntRule } from '../../suggestions/rules/write-rules.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { invalid } from '../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { decideRows, startStep } from '../decide/write-decisions.ts';
import { lockMove, type Move, type MovePlace, requireMove } from '../move.ts';
import { readRuleRows } from './rule-rows.ts';

export interface StoredRule {
  pattern: string;
  target: string;
  /** that it decided */
  rows: number;
  createdBy: ShownActor;
  createdAt: Date;
}

/** Returns the rules that the decisions of a move show, and those that it stores. Throws as requireMove, and BUSY. */
export async function listMoveRules(
  { permits, streams }: Pick<ImportDeps, 'permits'> & { streams: Db },
  actor: Actor,
  place: MovePlace,
): Promise<{ rules: LearntRule[]; stored: StoredRule[] }> {
  const website = await requireWebsiteRow(streams, actor, place.websiteId);
  return permits.withTurn(actor.accountId, async () => {
    const move = await requireMove(streams, actor, place);
    const rules = await learnRules(await readRuleRows(streams, move, website));
    const stored = await readStored(streams, actor, move);
    const known = new Set(stored.map(({ pattern }) => pattern));
    return { rules: rules.filter(({ pattern }) => !known.has(pattern)), stored };
  });
}

async function readStored(db: Queryable, viewer: Actor, { id }: Move): Promise<StoredRule[]> {
  type Row = Pick<StoredRule, 'pattern' | 'target' | 'rows'> & {
    actorType: Actor['type'];
    actorId: string;
    actorName: string;
    createdAt: string;
  };
  const rules = await queryRows<Row>(db)`
    select m.pattern, m.target, coalesce(n.rows, 0)::int as rows, m.actor_type, m.actor_id, m.actor_name, m.created_at
    from move_rules m left join (
      select rule, count(*) as rows from move_rows where move_id = ${id} and rule is not null group by rule) n
      on n.rule = m.pattern
    where m.move_id = ${id} order by m.created_at, m.pattern`;
  return rules.map(({ actorType: type, actorId, actorName, createdAt, ...rule }) => ({
    ...rule,
    createdBy: shownActor(viewer, { type, id: actorId, name: actorName }),
    createdAt: new Date(createdAt),
  }));
}

/** Removes a stored rule. Rows that it decided and that have not changed since become undecided. Throws as lockMove. */
export async function removeMoveRule(
  db: Db,
  actor: Actor,
  { pattern, ...place }: MovePlace & { pattern: string },
): Promise<{ updated: number }> {
  return writeTransaction(db, actor, async (tx) => {
    const move = await lockMove(tx, actor, place);
    const step = await startStep(tx, actor, move);
    const { rowCount } = await tx.execute(sql`
      with removed as (delete from move_rules where move_id = ${move.id} and pattern = ${pattern} returning *)
      update move_steps set removed_rule = to_jsonb(removed) from removed where id = ${step}::bigint`);
    if (!rowCount) throw invalid('pattern', 'the move has no such rule; GET .../rules lists them as `stored`');
    const updated = await decideRows(
      tx,
      actor,
      move,
      sql`select r.url, null::text as decision, null::text as target, null::smallint as status_code, null::text as rule
        from move_rows r where r.move_id = ${move.id} and r.rule = ${pattern}`,
      step,
    );
    return { updated };
  });
}
