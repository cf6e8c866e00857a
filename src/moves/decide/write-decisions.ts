/** The one writer of decisions. Every caller holds the lock of the move (moves/move.ts). */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Decision, MAX_UNDO_STEPS } from '../../vocabulary/moves.ts';
import type { RowDecision } from './check-decision.ts';
import type { Move } from '../move.ts';

/** Columns of a decision, in the rows of a move and in the steps that can be undone. */
const DECISION_COLUMNS = [
  'decision',
  'target',
  'status_code',
  'rule',
  'decided_type',
  'decided_id',
  'decided_name',
  'decided_at',
  'step',
] as const;

/** The text of each of these columns, separated by commas. */
export const eachColumn = (write: (name: string) => string): SQL => sql.raw(DECISION_COLUMNS.map(write).join(', '));

/** Starts a step of the actor, which an undo takes back as a whole. Returns its id. The oldest ones are deleted. */
export async function startStep(tx: Queryable, actor: Actor, move: Move): Promise<number> {
  const [step] = await queryRows<{ id: number }>(tx)`
    insert into move_steps (move_id, website_id, actor_type, actor_id, actor_name)
    values (${move.id}, ${move.websiteId}, ${actor.type}, ${actor.id}, ${actor.name}) returning id`;
  if (!step) throw new Error('insert returned nothing');
  await tx.execute(sql`
    with old as (delete from move_steps where id in (select id from move_steps s where ${isOwnStep(actor, move)}
      order by id desc offset ${MAX_UNDO_STEPS}) returning id)
    delete from move_step_rows where step_id in (select id from old)`);
  return step.id;
}

/** The condition for steps `s` of the actor. */
export const isOwnStep = (actor: Actor, move: Move): SQL =>
  sql`s.move_id = ${move.id} and s.actor_type = ${actor.type} and s.actor_id = ${actor.id}`;

/** Rows that `decisions` change, with the former decision. Rows that are decided like this already are not among them. */
const changedRows = (move: Move, decisions: SQL): SQL => sql`
  select r.url, r.weight, r.decision is not null as was_decided, d.decision, d.target, d.status_code, d.rule,
    ${eachColumn((name) => `r.${name} as former_${name}`)}
  from (${decisions}) d join move_rows r on r.move_id = ${move.id} and r.url = d.url
  where (r.decision, r.target, r.status_code, r.rule) is distinct from (d.decision, d.target, d.status_code, d.rule)`;

/** Many rows are joined by hash, in memory. */
export const useMemory = (tx: Queryable): Promise<unknown> => tx.execute(sql`set local work_mem = '64MB'`);

/**
 * Decides rows of a locked move. `decisions` is a query with the columns url, decision, target, status_code and rule, each
 * url once; a null decision takes one back. Returns the number of rows that changed. Without a `step`, they are one of
 * their own.
 */
export async function decideRows(
  tx: Queryable,
  actor: Actor,
  move: Move,
  decisions: SQL,
  step?: number,
): Promise<number> {
  const id = step ?? (await startStep(tx, actor, move));
  await useMemory(tx);
  const decider = (value: string): SQL => sql`case when c.decision is not null then ${value} end`;
  const [counts] = await queryRows<{ updated: number }>(tx)`
    with c as materialized (${changedRows(move, decisions)}),
      stored as (
        insert into move_step_rows (step_id, url, move_id, website_id, ${eachColumn((name) => name)})
        select ${id}::bigint, url, ${move.id}, ${move.websiteId}::int, ${eachColumn((name) => `former_${name}`)} from c),
      written as (
        update move_rows r set decision = c.decision, target = c.target, status_code = c.status_code, rule = c.rule,
          decided_type = ${decider(actor.type)}, decided_id = ${decider(actor.id)},
          decided_name = ${decider(actor.name)}, decided_at = case when c.decision is not null then now() end,
          step = ${id}::bigint, revision = r.revision + 1
        from c where r.move_id = ${move.id} and r.url = c.url)
    ${countChanges(move)}`;
  const updated = counts?.updated ?? 0;
  if (updated === 0 && step === undefined) await tx.execute(sql`delete from move_steps where id = ${id}`);
  return updated;
}

/** Ends a statement whose `c` are the changed rows: adds to the counts of the move, and returns their number. */
export const countChanges = (move: Move): SQL => sql`,
      n as (
        select count(*)::int as updated, coalesce(sum(by), 0)::int as decided,
          coalesce(sum(by * weight), 0)::bigint as weight
        from (select weight, (decision is not null)::int - was_decided::int as by from c) b),
      counted as (
        update moves m set decided = m.decided + n.decided, weight_decided = m.weight_decided + n.weight
        from n where m.id = ${move.id} and n.updated > 0)
    select updated from n`;

/** An example of what a call would do. */
export interface DecisionExample {
  url: string;
  decision: Decision | null;
  target: string | null;
}

const MAX_EXAMPLES = 10;

/** Returns what decideRows would do, with up to ten examples, the largest weight first. */
export async function previewDecisions(
  db: Queryable,
  move: Move,
  decisions: SQL,
): Promise<{ updated: number; examples: DecisionExample[] }> {
  const rows = await queryRows<DecisionExample & { updated: number }>(db)`
    select url, decision, target, updated from (
      select c.*, (count(*) over ())::int as updated from (${changedRows(move, decisions)}) c) p
    order by weight desc, url limit ${MAX_EXAMPLES}`;
  return { updated: rows[0]?.updated ?? 0, examples: rows.map(({ updated: _updated, ...example }) => example) };
}

/** A decision that a temporary table holds. `line`: where a file has it; `revision`: that the caller has seen. */
export interface GivenRow extends RowDecision {
  url: string;
  line?: number;
  revision?: number;
}

/** The temporary table of createGiven: line, url, decision, target, status_code and revision. */
export const GIVEN = sql`given_rows`;

/** Creates a table for more decisions than one statement takes. It ends with the transaction. */
export async function createGiven(tx: Queryable): Promise<void> {
  await tx.execute(sql`create temporary table ${GIVEN} (line int, url text collate "C", decision text, target text,
    status_code smallint, revision int) on commit drop`);
}

/** Rows as a relation with the columns of the table. */
export const givenRows = (rows: readonly GivenRow[]): SQL => sql`(
  select line, url collate "C" as url, decision, target, "statusCode" as status_code, revision
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(line int, url text, decision text, target text,
    "statusCode" smallint, revision int))`;

/** Adds a batch of rows to the table. */
export async function addGiven(tx: Queryable, rows: readonly GivenRow[]): Promise<void> {
  await tx.execute(sql`insert into ${GIVEN} select * from ${givenRows(rows)} g`);
}
