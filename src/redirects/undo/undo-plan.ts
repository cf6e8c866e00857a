/**
 * The statements of an undo. A temporary table `undo_plan` drives them: the former state of each redirect that the
 * change touched, what is to be done with it, and why not. Whatever it is joined with is found by index or by place, so
 * the cost grows with the change and needs no statistics.
 */
import type { Queryable } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { isAllowedSql, type RulesPointer, targetColumn } from '../../deployments/live/database/rules-sql.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { UndoConflict } from '../../vocabulary/kinds.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import type { Change } from '../changes/find-changes.ts';
import { lastState, redirectWith, stateAfter, withoutSorts } from '../changes/states.ts';
import { LABEL_COLUMNS, SERVED_COLUMNS, TARGET_COLUMNS, targetBitsSql } from '../rule/fields.ts';
import { limitIssue, readAllowance } from '../rule/pattern-limit.ts';

type PlannedWebsite = Pick<LockedWebsite, 'allowedTargetHosts'>;

const TIMES = ['created_at', 'updated_at'];
const VALUES = [...SERVED_COLUMNS, ...LABEL_COLUMNS];
/** The columns of a former state. */
const STATE_COLUMNS = [...VALUES, ...TARGET_COLUMNS, ...TIMES];

/** Hidden from statistics that do not know the website, as in ../changes/states.ts. */
const ofWebsite = (id: number): SQL => sql`(select ${id}::int)`;

const columns = (names: readonly string[], alias: string): string => names.map((name) => `${alias}.${name}`).join(', ');
const differ = (names: readonly string[], a: string, b: string): string =>
  `(${columns(names, a)}) is distinct from (${columns(names, b)})`;

const RULE_CHANGES = differ(SERVED_COLUMNS, 'r', 'b');
const CHANGED_SINCE = `a.rev_to is not null and ((a.created_at is null) <> (r.id is null) or a.created_at is not null
    and (${differ(VALUES, 'a', 'r')} or ${targetBitsSql('a')} <> ${targetBitsSql('r')}))`;

/** Exists before the change. Other touched redirects were created by it, and have only an id. */
const EXISTED = sql`b.created_at is not null`;

/** SQL condition: this is to be done with the redirect `b` of the plan. */
export const WILL = (action: 'delete' | 'restore' | 'recreate'): SQL =>
  sql.raw(`b.code is null and b.action = '${action}'`);

/** How many redirects an undo changes. */
export interface UndoCounts {
  /** redirects that get their former fields back */
  restored: number;
  /** deleted ones that come back */
  recreated: number;
  /** created ones that go */
  deleted: number;
  /** redirects that stay as they are */
  conflictCount: number;
}

export interface UndoPlan extends UndoCounts {
  /** the environments whose rules change, as bits */
  touched: number;
  /** a restored redirect gets another group or other environments, by which redirects are counted */
  isRecounted: boolean;
}

/**
 * Plans the undo, and writes nothing but the temporary table: the former values, `action`, what is to be done, `code`,
 * why not, `place`, the redirect's, `is_new`, whether it takes a path or becomes a pattern, `taken_by`, the redirect
 * that has its former path, `is_recounted` and `touched`.
 */
export async function planUndo(tx: Queryable, website: PlannedWebsite, change: Change): Promise<UndoPlan> {
  const after = stateAfter(change.websiteId, sql`b.id`, sql`${change.revision}::int`);
  return planStates(tx, change.websiteId, {
    former: touchedBy(website, change),
    after: sql`left join lateral ${after} a on true`,
    changedSince: sql.raw(CHANGED_SINCE),
    condition: sql`true`,
  });
}

/** The scope of a discard: the changes of an environment since a version, of all redirects or of these. */
export interface DiscardScope {
  environment: Environment;
  /** of the version, whose rules are those of the environment */
  pointer: Pick<RulesPointer, 'rulesRev' | 'rulesMaxId'>;
  redirectIds: number[] | undefined;
}

/**
 * Plans the return to a version, as `planUndo`: of the redirects whose rules of the environment differ from it. Their
 * changes of any author are taken back, so none has changed since.
 */
export async function planDiscard(
  tx: Queryable,
  website: PlannedWebsite & Pick<LockedWebsite, 'id'>,
  scope: DiscardScope,
): Promise<UndoPlan> {
  const target = targetColumn(scope.environment);
  return planStates(tx, website.id, {
    former: changedAfter(website, scope),
    after: sql``,
    changedSince: sql`false`,
    condition: sql.raw(`(b.${target} is not null or r.${target} is not null)
      and (r.id is null or b.created_at is null or ${RULE_CHANGES} or (b.${target} is null) <> (r.${target} is null))`),
  });
}

interface PlannedStates {
  /** query: the former states `b` */
  former: SQL;
  /** join: the states `a` after the change */
  after: SQL;
  /** condition: the redirect `r` differs from `a`, so it stays */
  changedSince: SQL;
  /** of the redirects of the plan */
  condition: SQL;
}

async function planStates(
  tx: Queryable,
  websiteId: number,
  { former, after, changedSince, condition }: PlannedStates,
): Promise<UndoPlan> {
  const [id, key] = [sql`b.id`, sql`b.key`];
  const statement = sql`
    create temporary table undo_plan on commit drop as
    select b.*, r.place, coalesce(r.is_regex, false) as was_regex, o.id as taken_by,
      case when not ${EXISTED} then 'delete' when r.id is null then 'recreate' else 'restore' end as action,
      case when ${changedSince} then 'CHANGED_SINCE'
        when not b.is_allowed and b.new_path is distinct from r.new_path then 'TARGET_HOST_NOT_ALLOWED' end as code,
      r.group_id is distinct from b.group_id or ${sql.raw(targetBitsSql('r'))} <> ${sql.raw(targetBitsSql('b'))} as is_recounted,
      ${EXISTED} and (r.id is null or (r.key, r.is_regex) is distinct from (b.key, b.is_regex)) as is_new,
      case when not ${EXISTED} then ${sql.raw(targetBitsSql('r'))} when r.id is null then ${sql.raw(targetBitsSql('b'))}
        when ${sql.raw(RULE_CHANGES)} then ${sql.raw(targetBitsSql('r'))} | ${sql.raw(targetBitsSql('b'))}
        else ${sql.raw(targetBitsSql('r'))} # ${sql.raw(targetBitsSql('b'))} end as touched
    from (${former}) b
    ${after}
    left join lateral ${redirectWith('id', websiteId, id)} r on true
    left join lateral ${redirectWith('key', websiteId, key)} o on ${EXISTED}
    where ${condition}`;
  await withoutSorts(tx, () => tx.execute(statement));
  const plan = await readTotals(tx);
  if (!plan.hasTaken && !plan.hasPatterns) return plan;
  await tx.execute(sql`analyze undo_plan (id, code, action, is_new, is_regex, was_regex, taken_by)`);
  if (plan.hasTaken) await markTaken(tx);
  if (plan.hasPatterns) await markSurplus(tx, websiteId);
  return readTotals(tx);
}

/** SQL query: the former state of each redirect that the change touched. Reads each source in the order of its index. */
function touchedBy(website: PlannedWebsite, { websiteId, revision, counts, firstId, lastId }: Change): SQL {
  const isOfWebsite = sql`website_id = ${ofWebsite(websiteId)}`;
  const changed = sql`
    select redirect_id as id, ${sql.raw(STATE_COLUMNS.join(', '))}, ${sql.raw(isAllowedSql(website.allowedTargetHosts))} as is_allowed
    from redirect_revisions where ${isOfWebsite} and rev_to >= ${revision}::int and rev_to <= ${revision}::int
    order by rev_to, redirect_id`;
  if (counts.created === 0) return changed;
  const range = sql`between ${firstId + 1}::bigint and ${lastId}::bigint`;
  return sql`(${changed}) union all (
    select t.id, ${sql.raw(columns(STATE_COLUMNS, 'v'))}, true from (
      select id from redirects where ${isOfWebsite} and id ${range}
      union select redirect_id from redirect_revisions where ${isOfWebsite} and redirect_id ${range} order by id) t
    left join redirect_revisions v on false)`;
}

/** SQL query: the state in a version of each redirect that has changed after it. */
function changedAfter(
  website: PlannedWebsite & Pick<LockedWebsite, 'id'>,
  { pointer, redirectIds }: DiscardScope,
): SQL {
  const { rulesRev, rulesMaxId } = pointer;
  const isAsked = (id: SQL): SQL => (redirectIds ? sql`${id} = any(${sql.param(redirectIds)}::bigint[])` : sql`true`);
  return sql`(
    select distinct on (redirect_id) redirect_id as id, ${sql.raw(STATE_COLUMNS.join(', '))},
      ${sql.raw(isAllowedSql(website.allowedTargetHosts))} as is_allowed
    from redirect_revisions where website_id = ${ofWebsite(website.id)} and rev_to > ${rulesRev}::int and redirect_id <= ${rulesMaxId}::bigint
      and ${isAsked(sql`redirect_id`)}
    order by redirect_id, rev_to) union all (
    select t.id, ${sql.raw(columns(STATE_COLUMNS, 'v'))}, true
    from redirects t left join redirect_revisions v on false
    where t.website_id = ${ofWebsite(website.id)} and t.id > ${rulesMaxId}::bigint and ${isAsked(sql`t.id`)})`;
}

async function readTotals(tx: Queryable): Promise<UndoPlan & { hasTaken: boolean; hasPatterns: boolean }> {
  const [row] = await queryRows<Awaited<ReturnType<typeof readTotals>>>(tx)`
    select count(*) filter (where code is null and action = 'restore') as restored,
      count(*) filter (where code is null and action = 'recreate') as recreated,
      count(*) filter (where code is null and action = 'delete') as deleted, count(code) as conflict_count,
      coalesce(bit_or(touched) filter (where code is null), 0) as touched,
      coalesce(bool_or(is_recounted) filter (where code is null and action = 'restore'), false) as is_recounted,
      coalesce(bool_or(is_new and code is null and taken_by <> id), false) as has_taken,
      coalesce(bool_or(is_new and code is null and is_regex), false) as has_patterns from undo_plan`;
  if (!row) throw new Error('an aggregate has one row');
  return row;
}

/** The redirects that the change created go first, so their paths and patterns are free. */
const GOING = sql`select b.id from undo_plan b where ${WILL('delete')}`;

/** Marks the redirects whose former path is taken. */
async function markTaken(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    update undo_plan set code = ${'CONFLICT' satisfies UndoConflict}::text
    where is_new and code is null and taken_by <> id and not exists (select from (${GOING}) g where g.id = taken_by)`);
}

/** Marks the redirects for whose former pattern there is no room. */
async function markSurplus(tx: Queryable, websiteId: number): Promise<void> {
  const patterns = await queryRows<{ id: number; key: string }>(tx)`
    select id, key from undo_plan where is_new and code is null and is_regex order by id`;
  const allowance = await readAllowance(tx, websiteId, sql`r.id not in (${GOING} and b.was_regex)`);
  const slice = createTimeSlice();
  const surplus: number[] = [];
  for (const { id, key } of patterns) {
    if (slice.isOver()) await slice.yield();
    if (limitIssue(allowance, key)) surplus.push(id);
  }
  if (surplus.length === 0) return;
  await tx.execute(sql`
    update undo_plan set code = ${'TOO_MANY_PATTERNS' satisfies UndoConflict}::text
    where id = any(${sql.param(surplus)}::bigint[])`);
}

export async function applyUndo(tx: Queryable, website: LockedWebsite, plan: UndoPlan): Promise<void> {
  if (plan.deleted > 0) {
    await tx.execute(sql`delete from redirects r using undo_plan b where r.ctid = b.place and ${WILL('delete')}`);
  }
  if (plan.restored > 0) await restoreChanged(tx, website, plan);
  if (plan.recreated > 0) await recreateDeleted(tx, website);
}

/** Gives the changed redirects their former fields. The set-based twin of `planChange` (../rule/change.ts). */
async function restoreChanged(tx: Queryable, { rev }: LockedWebsite, { isRecounted }: UndoPlan): Promise<void> {
  const changes = sql.raw(RULE_CHANGES);
  const isRetargeted = sql.raw(`${targetBitsSql('r')} <> ${targetBitsSql('b')}`);
  const since = TARGET_COLUMNS.map((name) => {
    const [target, column] = [sql.raw(name), sql.raw(`r.${name}`)];
    return sql`${target} = case when b.${target} is not null
      then case when ${changes} then ${rev}::int else coalesce(${column}, ${rev}::int) end end`;
  });
  // As in ../import/merge.ts: the trigger that counts redirects has nothing to do.
  const setCounts = (text: string) => tx.execute(sql`select set_config('detour.counts', ${text}, true)`);
  if (!isRecounted) await setCounts('unchanged');
  await tx.execute(sql`
    update redirects r set ${sql.raw(VALUES.map((name) => `${name} = b.${name}`).join(', '))}, ${sql.join(since, sql`, `)},
      rev = case when ${changes} or ${isRetargeted} then ${rev}::int else r.rev end, updated_at = b.updated_at
    from undo_plan b where ${WILL('restore')} and r.ctid = b.place`);
  if (!isRecounted) await setCounts('');
}

/** Inserts the deleted redirects again, with their ids and times. Their absence is recorded already. */
async function recreateDeleted(tx: Queryable, website: LockedWebsite): Promise<void> {
  const rev = sql`${website.rev}::int`;
  const since = TARGET_COLUMNS.map((name) => sql`case when ${sql.raw(`b.${name}`)} is not null then ${rev} end`);
  const stored = [...VALUES, ...TIMES];
  await tx.execute(sql`
    insert into redirects (id, website_id, rev, ${sql.raw([...TARGET_COLUMNS, ...stored].join(', '))})
    select b.id, ${website.id}::int, ${rev}, ${sql.join(since, sql`, `)}, ${sql.raw(columns(stored, 'b'))}
    from undo_plan b where ${WILL('recreate')} order by b.key`);
}

/**
 * Records the absence of the redirects whose `id` the query selects, as revisions without targets. They complete the
 * history of these redirects, and let the difference between versions find ids that are not the newest. Call it before
 * the redirects come back, so that their events know since when the former rule is live.
 */
export async function recordAbsence(tx: Queryable, { id, rev }: LockedWebsite, query: SQL): Promise<void> {
  const stored = [...SERVED_COLUMNS, 'old_path'];
  const statement = sql`
    insert into redirect_revisions (website_id, redirect_id, rev_from, rev_to, ${sql.raw(stored.join(', '))})
    select v.website_id, v.redirect_id, v.rev_to, ${rev}::int, ${sql.raw(columns(stored, 'v'))}
    from (${query}) t cross join lateral ${lastState(id, sql`t.id`)} v`;
  await withoutSorts(tx, () => tx.execute(statement));
}
