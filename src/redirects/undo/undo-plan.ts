/**
 * The statements of an undo. Two temporary tables drive them: `undo_states` has the former state `b` of each redirect
 * that the change touched, and `undo_plan` what is to be done with it, and why not. Both are analysed, and whatever they
 * are joined with is found by index or by place, so the cost grows with the change and needs no other statistics.
 */
import type { Queryable } from '../../db/client.ts';
import { getTableColumns, type SQL, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { redirectRevisions } from '../../db/schema/redirects.ts';
import { isAllowedSql } from '../../deployments/live/rules-sql.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import type { UndoConflict } from '../../vocabulary/change.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import type { Change } from '../changes/find-changes.ts';
import { lastState, redirectWith, stateAfter } from '../changes/states.ts';
import { limitIssue, readAllowance } from '../rule/pattern-limit.ts';

type PlannedWebsite = Pick<LockedWebsite, 'allowedTargetHosts'>;

const LABELS = ['old_path', 'group_id', 'notes'];
const TARGETS = ['in_prod', 'in_staging', 'in_dev'];
const TIMES = ['created_at', 'updated_at'];
const INTERVAL = ['website_id', 'redirect_id', 'rev_from', 'rev_to'];
const OTHERS = new Set([...LABELS, ...TARGETS, ...TIMES, ...INTERVAL]);
/** Columns of a rule that the resolver serves: all others of a former state. */
const SERVED = Object.keys(getTableColumns(redirectRevisions))
  .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .filter((name) => !OTHERS.has(name));

const columns = (names: string[], alias: string): string => names.map((name) => `${alias}.${name}`).join(', ');
const differ = (names: string[], a: string, b: string): string =>
  `(${columns(names, a)}) is distinct from (${columns(names, b)})`;
const bitsOf = (alias: string): string =>
  `(${TARGETS.map((name, at) => `(${alias}.${name} is not null)::int * ${1 << at}`).join(' + ')})`;

const RULE_CHANGES = differ(SERVED, 'r', 'b');
const CHANGED_SINCE = `a.rev_to is not null and ((a.created_at is null) <> (r.id is null) or a.created_at is not null
    and (${differ([...SERVED, ...LABELS], 'a', 'r')} or ${bitsOf('a')} <> ${bitsOf('r')}))`;

/** Exists before the change. Other touched redirects were created by it, and have only an id. */
const EXISTED = sql`b.created_at is not null`;
const WILL = (action: 'delete' | 'restore' | 'recreate'): SQL => sql`p.code is null and p.action = ${action}`;

/** Stores the former state of each redirect that the change touched. Reads each source in the order of its index. */
async function storeStates(tx: Queryable, website: PlannedWebsite, change: Change): Promise<void> {
  const { websiteId, revision, counts, firstId, lastId } = change;
  // Hidden from statistics that do not know the website, as in ../changes/states.ts.
  const ofWebsite = sql`website_id = (select ${websiteId}::int)`;
  const stored = sql.raw([...SERVED, ...LABELS, ...TARGETS, ...TIMES].join(', '));
  await tx.execute(sql`
    create temporary table undo_states on commit drop as
    select redirect_id as id, ${stored}, ${sql.raw(isAllowedSql(website.allowedTargetHosts))} as is_allowed
    from redirect_revisions b where ${ofWebsite} and rev_to >= ${revision}::int and rev_to <= ${revision}::int
    order by rev_to, redirect_id`);
  if (counts.created > 0) {
    const range = sql`between ${firstId + 1}::bigint and ${lastId}::bigint`;
    await tx.execute(sql`
      insert into undo_states (id)
      select id from redirects where ${ofWebsite} and id ${range}
      union select redirect_id from redirect_revisions where ${ofWebsite} and redirect_id ${range} order by id`);
  }
  await tx.execute(sql`analyze undo_states (id, is_regex)`);
}

/**
 * Plans the undo, and writes nothing but temporary tables: `action` is what is to be done, `code` why not, `place` the
 * redirect's, `is_new` whether it takes a path or becomes a pattern, `taken_by` the redirect that has its former path,
 * `touched` the environments whose rules change, as bits.
 */
export async function planUndo(tx: Queryable, website: PlannedWebsite, change: Change): Promise<void> {
  await storeStates(tx, website, change);
  const { websiteId, revision } = change;
  const [id, key] = [sql`b.id`, sql`b.key`];
  await tx.execute(sql`
    create temporary table undo_plan on commit drop as
    select b.id, r.place, coalesce(r.is_regex, false) as was_regex, o.id as taken_by,
      case when not ${EXISTED} then 'delete' when r.id is null then 'recreate' else 'restore' end as action,
      case when ${sql.raw(CHANGED_SINCE)} then 'CHANGED_SINCE'
        when not b.is_allowed and b.new_path is distinct from r.new_path then 'TARGET_HOST_NOT_ALLOWED' end as code,
      ${EXISTED} and (r.id is null or (r.key, r.is_regex) is distinct from (b.key, b.is_regex)) as is_new,
      case when not ${EXISTED} then ${sql.raw(bitsOf('r'))} when r.id is null then ${sql.raw(bitsOf('b'))}
        when ${sql.raw(RULE_CHANGES)} then ${sql.raw(bitsOf('r'))} | ${sql.raw(bitsOf('b'))}
        else ${sql.raw(bitsOf('r'))} # ${sql.raw(bitsOf('b'))} end as touched
    from undo_states b
    left join lateral ${stateAfter(websiteId, id, sql`${revision}::int`)} a on true
    left join lateral ${redirectWith('id', websiteId, id)} r on true
    left join lateral ${redirectWith('key', websiteId, key)} o on ${EXISTED}`);
  await tx.execute(sql`analyze undo_plan`);
  await markConflicts(tx, websiteId);
}

/** Marks the redirects whose former path is taken, and then those for whose former pattern there is no room. */
async function markConflicts(tx: Queryable, websiteId: number): Promise<void> {
  // The redirects that the change created go first, so their paths and patterns are free.
  const going = sql`select p.id from undo_plan p where ${WILL('delete')}`;
  await tx.execute(sql`
    update undo_plan set code = ${'CONFLICT' satisfies UndoConflict}::text
    where is_new and code is null and taken_by <> id and not exists (select from (${going}) g where g.id = taken_by)`);
  const patterns = await queryRows<{ id: number; key: string }>(tx)`
    select p.id, b.key from undo_plan p join undo_states b on b.id = p.id
    where p.is_new and p.code is null and b.is_regex order by p.id`;
  if (patterns.length === 0) return;
  const allowance = await readAllowance(tx, websiteId, sql`r.id not in (${going} and p.was_regex)`);
  const slice = createTimeSlice();
  const surplus: number[] = [];
  for (const { id, key } of patterns) {
    if (slice.isOver()) await slice.yield();
    if (limitIssue(allowance, key)) surplus.push(id);
  }
  await tx.execute(sql`
    update undo_plan set code = ${'TOO_MANY_PATTERNS' satisfies UndoConflict}::text
    where id = any(${sql.param(surplus)}::bigint[])`);
}

/** Applies the plan to the locked website. */
export async function applyUndo(tx: Queryable, website: LockedWebsite): Promise<void> {
  await tx.execute(sql`delete from redirects r using undo_plan p where r.ctid = p.place and ${WILL('delete')}`);
  await restoreChanged(tx, website);
  await recreateDeleted(tx, website);
}

const VALUES = [...SERVED, ...LABELS];
const INSERTED = [...VALUES, ...TIMES].join(', ');

/** Gives the changed redirects their former fields. The set-based twin of `planChange` (../rule/change.ts). */
async function restoreChanged(tx: Queryable, { rev }: LockedWebsite): Promise<void> {
  const changes = sql.raw(RULE_CHANGES);
  const isRetargeted = sql.raw(`${bitsOf('r')} <> ${bitsOf('b')}`);
  const since = TARGETS.map((name) => {
    const [target, column] = [sql.raw(name), sql.raw(`r.${name}`)];
    return sql`${target} = case when b.${target} is not null
      then case when ${changes} then ${rev}::int else coalesce(${column}, ${rev}::int) end end`;
  });
  await tx.execute(sql`
    update redirects r set ${sql.raw(VALUES.map((name) => `${name} = b.${name}`).join(', '))}, ${sql.join(since, sql`, `)},
      rev = case when ${changes} or ${isRetargeted} then ${rev}::int else r.rev end, updated_at = b.updated_at
    from undo_states b join undo_plan p on p.id = b.id where ${WILL('restore')} and r.ctid = p.place`);
}

/** Inserts the deleted redirects again, with their ids and times. */
async function recreateDeleted(tx: Queryable, website: LockedWebsite): Promise<void> {
  await recordAbsence(tx, website, sql`select id from undo_plan p where ${WILL('recreate')}`);
  const rev = sql`${website.rev}::int`;
  const since = TARGETS.map((name) => sql`case when ${sql.raw(`b.${name}`)} is not null then ${rev} end`);
  await tx.execute(sql`
    insert into redirects (id, website_id, rev, ${sql.raw([...TARGETS, INSERTED].join(', '))})
    select b.id, ${website.id}::int, ${rev}, ${sql.join(since, sql`, `)}, ${sql.raw(columns([...VALUES, ...TIMES], 'b'))}
    from undo_states b join undo_plan p on p.id = b.id where ${WILL('recreate')} order by b.key`);
}

/**
 * Records the absence of the redirects whose `id` the query selects, as revisions without targets. They complete the
 * history of these redirects, and let the difference between versions find ids that are not the newest. Call it before
 * the redirects come back, so that their events know since when the former rule is live.
 */
export async function recordAbsence(tx: Queryable, { id, rev }: LockedWebsite, query: SQL): Promise<void> {
  const stored = [...SERVED, 'old_path'];
  await tx.execute(sql`
    insert into redirect_revisions (website_id, redirect_id, rev_from, rev_to, ${sql.raw(stored.join(', '))})
    select v.website_id, v.redirect_id, v.rev_to, ${rev}::int, ${sql.raw(columns(stored, 'v'))}
    from (${query}) t cross join lateral ${lastState(id, sql`t.id`)} v`);
}
