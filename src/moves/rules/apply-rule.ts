import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import { effectOf, followRules, type RuleEffect } from '../../suggestions/rules/effect.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { assertNoIssue, busy, invalid, type Issue } from '../../vocabulary/error.ts';
import { requireRoleAt, requireWebsiteRow } from '../../websites/website.ts';
import { createOwnTargets, redirectIssues } from '../decide/check-decision.ts';
import { addGiven, createGiven, decideRows, GIVEN, type GivenRow, startStep } from '../decide/write-decisions.ts';
import { lockMove, type Move, type MovePlace, requireMove } from '../move.ts';
import { type ReadRow, readRuleRows } from './rule-rows.ts';

export interface ApplyRuleInput extends MovePlace {
  pattern: string;
  target: string;
  /** stores the rule, or decides each row as a redirect */
  as: 'rule' | 'rows';
}

export interface AppliedRule {
  /** undecided rows that it decided */
  updated: number;
  /** decided rows that it leads to their target, and those that stay single redirects */
  agrees: number;
  differs: number;
}

type Rule = Omit<ApplyRuleInput, keyof MovePlace>;

const MAX_TRIES = 3;
const BATCH_SIZE = 1_000;

/**
 * Decides the undecided rows that a rule covers. The check of all rows takes seconds, so it holds no lock: it is repeated
 * if one of the rows that the rule matches changes meanwhile. Throws VALIDATION_ERROR, and changes nothing, if the rule is
 * invalid, answers a living page or a row that stays, or leads a row to no candidate; and as lockMove, and BUSY.
 */
export async function applyMoveRule(
  { db, permits, streams }: Pick<ImportDeps, 'db' | 'permits'> & { streams: Db },
  actor: Actor,
  { pattern, target: given, as, ...place }: ApplyRuleInput,
): Promise<AppliedRule> {
  const website = await requireWebsiteRow(db, actor, place.websiteId);
  await requireRoleAt(db, actor, place.websiteId, 'editor');
  const target = (await createOwnTargets(db, website)(pattern, given)) ?? given;
  const fields = { oldPath: pattern, newPath: target, statusCode: 301, isRegex: true };
  assertNoIssue(...redirectIssues('pattern', fields, website.allowedTargetHosts));
  const rule = { pattern, target, as };
  return permits.withTurn(actor.accountId, async () => {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const move = await requireMove(db, actor, place);
      await assertNotOther(db, move, rule);
      const read = await readRuleRows(streams, move, website);
      const effect = await effectOf(rule, read);
      assertHarmless(effect);
      const decide = async (tx: Queryable): Promise<number | undefined> => {
        await stageMatched(tx, followRules([rule], website), read.rows);
        const locked = await lockMove(tx, actor, place);
        return (await isAsRead(tx, move, locked)) ? decideStaged(tx, actor, locked, rule) : undefined;
      };
      const updated = await permits.withPermit(() => permits.db.transaction(decide));
      if (updated !== undefined) return { updated, agrees: effect.agrees.count, differs: effect.differs.count };
    }
    throw busy('Other calls keep deciding rows that the rule matches; nothing was applied, retry in a few seconds');
  });
}

async function assertNotOther(db: Queryable, { id }: Move, { pattern, target }: Rule): Promise<void> {
  const [stored] = await queryRows<{ target: string }>(db)`
    select target from move_rules where move_id = ${id} and pattern = ${pattern} and target <> ${target}`;
  if (stored) throw invalid('pattern', `the move has it with the target ${stored.target}; remove that rule first`);
}

/** Throws if the rule breaks a condition, or matches no row. */
function assertHarmless({ covers, agrees, living, kept, noCandidate }: RuleEffect): void {
  const broken = [
    { what: 'answers living pages', ...living },
    { what: 'answers rows that are decided as keep or skip', ...kept },
    { what: 'leads undecided rows to no candidate', ...noCandidate },
  ].filter(({ count }) => count > 0);
  const issues = broken.map(({ what, count, examples }): Issue => {
    const message = `${what} (${count.toLocaleString('en')}): ${examples.join(', ')}; narrow it`;
    return { path: 'pattern', code: 'VALIDATION_ERROR', message };
  });
  assertNoIssue(...issues);
  if (covers.count + agrees.count === 0) throw invalid('pattern', 'matches no row of the move');
}

/** Stages the rows that the rule matches, the undecided ones with its decision. */
async function stageMatched(
  tx: Queryable,
  follow: (url: string) => string | null,
  rows: readonly ReadRow[],
): Promise<void> {
  const slice = createTimeSlice();
  await createGiven(tx);
  let batch: GivenRow[] = [];
  for (const { url, decision, revision } of rows) {
    if (slice.isOver()) await slice.yield();
    const target = follow(url);
    if (target === null) continue;
    batch.push({ url, revision, target, decision: decision === null ? 'redirect' : null, statusCode: null });
    if (batch.length < BATCH_SIZE) continue;
    await addGiven(tx, batch);
    batch = [];
  }
  await addGiven(tx, batch);
  await tx.execute(sql`analyze ${GIVEN}`);
}

/** Whether candidates and matched rows of the locked move are those that were read. */
async function isAsRead(tx: Queryable, move: Move, locked: Move): Promise<boolean> {
  if (locked.generation !== move.generation) return false;
  const changed = await queryRows(tx)`select from ${GIVEN} g
    join move_rows r on r.move_id = ${move.id} and r.url = g.url and r.revision <> g.revision limit 1`;
  return changed.length === 0;
}

async function decideStaged(tx: Queryable, actor: Actor, move: Move, { pattern, target, as }: Rule): Promise<number> {
  await assertNotOther(tx, move, { pattern, target, as });
  const step = await startStep(tx, actor, move);
  const rule = as === 'rule' ? pattern : null;
  const decisions = sql`select url, decision, target, status_code, ${rule}::text as rule from ${GIVEN}
    where decision is not null`;
  const updated = await decideRows(tx, actor, move, decisions, step);
  if (rule !== null)
    await tx.execute(sql`
      insert into move_rules (move_id, pattern, website_id, target, step, actor_type, actor_id, actor_name)
      values (${move.id}, ${pattern}, ${move.websiteId}, ${target}, ${step}, ${actor.type}, ${actor.id}, ${actor.name})
      on conflict do nothing`);
  return updated;
}
