import { type Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveRulesOf } from '../../health/current-rules.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Decision } from '../../vocabulary/moves.ts';
import { type SharedTarget, sharedTargets } from '../list-moves.ts';
import { type MovePlace, requireMove } from '../move.ts';
import { type Applied, applyDecisions } from './apply-decisions.ts';
import type { ApplyOptions, MoveRule } from './decided-urls.ts';
import type { Decisions } from './plan-apply.ts';

export interface AppliedMove extends Applied {
  warnings: SharedTarget[];
}

/** Applies the decisions of a move. Throws as applyDecisions, and MOVE_NOT_FOUND. */
export async function applyMove(
  deps: ImportDeps,
  actor: Actor,
  importId: string,
  { options, ...place }: MovePlace & { options: ApplyOptions },
  at: { live: LiveRulesOf; now: Date },
): Promise<AppliedMove> {
  const move = await requireMove(deps.db, actor, place);
  const decisions = await readDecisions(deps.db, move.id);
  const { websiteId } = place;
  const alongside = (tx: Queryable, changeId: string | null) => markApplied(tx, move.id, changeId);
  const applied = await applyDecisions(deps, actor, importId, { websiteId, decisions, options, at, alongside });
  return { ...applied, warnings: await sharedTargets(deps.db, move.id) };
}

async function readDecisions(db: Queryable, moveId: string): Promise<Decisions> {
  const rows = await queryRows<{ url: string; decision: Decision; target: string | null; statusCode: number | null }>(
    db,
  )`
    select url, decision, target, status_code from move_rows
    where move_id = ${moveId} and decision is not null order by url`;
  const rules = await queryRows<MoveRule>(db)`
    select pattern, target from move_rules where move_id = ${moveId} order by pattern`;
  const isAnswered = ({ decision }: { decision: Decision }): boolean => decision === 'redirect' || decision === 'gone';
  return {
    urls: rows.filter(isAnswered).map(({ url, target, statusCode }) => ({ url, target, statusCode })),
    kept: rows.filter((row) => !isAnswered(row)).map(({ url }) => url),
    rules,
  };
}

/** A further apply without a change keeps the change of the one before. */
async function markApplied(tx: Queryable, moveId: string, changeId: string | null): Promise<void> {
  await tx.execute(sql`
    update moves set state = 'applied', applied_at = now(), change_id = coalesce(${changeId}::text, change_id)
    where id = ${moveId}`);
}
