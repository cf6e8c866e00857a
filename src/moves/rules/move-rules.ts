/** Rules of a move: patterns that stand for many decisions. */
import { type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import { type Db, inSnapshot, type Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import { checkRedirect } from '../../rules/check-redirect.ts';
import { effectOf, followRules, type RuleEffect } from '../../suggestions/rules/effect.ts';
import { learnRules } from '../../suggestions/rules/learn-rules.ts';
import type { LearntRule } from '../../suggestions/rules/write-rules.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { assertNoIssue, invalid, type Issue } from '../../vocabulary/error.ts';
import { requireWebsiteRow, type WebsiteRow } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { createOwnTargets } from '../decide/check-decision.ts';
import { addGiven, createGiven, decideRows, GIVEN, type GivenRow, startStep } from '../decide/write-decisions.ts';
import { lockMove, type Move, type MovePlace, requireMove } from '../move.ts';
import { readRuleRows, type RuleRows } from './rule-rows.ts';

export interface StoredRule {
  pattern: string;
  target: string;
  /** that it decided */
  rows: number;
  createdBy: ShownActor;
  createdAt: Date;
}

type Deps = Pick<ImportDeps, 'db' | 'permits'>;

/** Returns the rules that the decisions of a move show, and those that it stores. Throws as requireMove, and BUSY. */
export async function listMoveRules(
  { permits, streams }: Deps & { streams: Db },
  actor: Actor,
  place: MovePlace,
): Promise<{ rules: LearntRule[]; stored: StoredRule[] }> {
  const website = await requireWebsiteRow(streams, actor, place.websiteId);
  return permits.withTurn(actor.accountId, async () => {
    const read = inSnapshot(streams, async function* (snapshot) {
      const move = await requireMove(snapshot, actor, place);
      yield { stored: await readStored(snapshot, actor, move), rows: await readRuleRows(snapshot, move, website) };
    });
    for await (const { stored, rows } of read) {
      const known = new Set(stored.map(({ pattern }) => pattern));
      return { rules: (await learnRules(rows)).filter(({ pattern }) => !known.has(pattern)), stored };
    }
    throw new Error('the snapshot has no move');
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

/**
 * Decides the undecided rows that a rule covers. Throws VALIDATION_ERROR, and changes nothing, if the rule is invalid,
 * answers a living page or a row that stays, or leads a row to no candidate; and as lockMove, and BUSY.
 */
export async function applyMoveRule(
  { db, permits }: Deps,
  actor: Actor,
  { pattern, target: given, as, ...place }: ApplyRuleInput,
): Promise<AppliedRule> {
  const website = await requireWebsiteRow(db, actor, place.websiteId);
  const target = (await createOwnTargets(db, website)(pattern, given)) ?? given;
  checkRule({ pattern, target }, website);
  const work = (tx: Queryable, move: Move) => decideByRule(tx, actor, move, { pattern, target, as }, website);
  return permits.withTurn(actor.accountId, () =>
    writeTransaction(db, actor, async (tx) => work(tx, await lockMove(tx, actor, place))),
  );
}

function checkRule({ pattern, target }: { pattern: string; target: string }, { allowedTargetHosts }: WebsiteRow): void {
  const rule = {
    oldPath: pattern,
    newPath: target,
    statusCode: 301,
    isRegex: true,
    activeFrom: null,
    activeUntil: null,
  };
  const words = (text: string): string => text.replaceAll('new_path', 'target').replaceAll('old_path', 'pattern');
  const { issues } = checkRedirect(rule, allowedTargetHosts);
  assertNoIssue(...issues.map(({ path, code, message }) => ({ path: words(path), code, message: words(message) })));
}

async function decideByRule(
  tx: Queryable,
  actor: Actor,
  move: Move,
  { pattern, target, as }: Omit<ApplyRuleInput, keyof MovePlace>,
  website: WebsiteRow,
): Promise<AppliedRule> {
  const [stored] = await queryRows<{ target: string }>(tx)`
    select target from move_rules where move_id = ${move.id} and pattern = ${pattern}`;
  if (stored && stored.target !== target)
    throw invalid('pattern', `the move has it with the target ${stored.target}; remove that rule first`);
  const rows = await readRuleRows(tx, move, website);
  const effect = await effectOf({ pattern, target }, rows);
  assertHarmless(effect);
  await stageCovered(tx, { pattern, target }, rows);
  const step = await startStep(tx, actor, move);
  const rule = as === 'rule' ? pattern : null;
  const updated = await decideRows(
    tx,
    actor,
    move,
    sql`select url, decision, target, status_code, ${rule}::text as rule from ${GIVEN}`,
    step,
  );
  if (rule !== null)
    await tx.execute(sql`
      insert into move_rules (move_id, pattern, website_id, target, step, actor_type, actor_id, actor_name)
      values (${move.id}, ${pattern}, ${move.websiteId}, ${target}, ${step}, ${actor.type}, ${actor.id}, ${actor.name})
      on conflict do nothing`);
  return { updated, agrees: effect.agrees.count, differs: effect.differs.count };
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

async function stageCovered(
  tx: Queryable,
  rule: { pattern: string; target: string },
  { undecided, website }: RuleRows,
): Promise<void> {
  const follow = followRules([rule], website);
  const slice = createTimeSlice();
  await createGiven(tx);
  const decided = { decision: 'redirect', statusCode: null } as const;
  let batch: GivenRow[] = [];
  for (const url of undecided) {
    if (slice.isOver()) await slice.yield();
    const target = follow(url);
    if (target !== null) batch.push({ url, target, ...decided });
    if (batch.length < BATCH_SIZE) continue;
    await addGiven(tx, batch);
    batch = [];
  }
  await addGiven(tx, batch);
  await tx.execute(sql`analyze ${GIVEN}`);
}

const BATCH_SIZE = 1_000;

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
