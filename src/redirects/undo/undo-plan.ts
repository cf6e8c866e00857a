/**
 * The statements of an undo. A temporary table has a row for each redirect that the change touched: what is to be done
 * with it, and why not. `b` is the former state of a redirect, `a` its state when it changed next, `r` the current one.
 */
import type { Queryable } from '../../db/client.ts';
import { getTableColumns, type SQL, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { redirectRevisions } from '../../db/schema.ts';
import { isAllowedSql } from '../../deployments/live/rules-sql.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import type { UndoConflict } from '../../vocabulary/change.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import type { Change } from '../changes/find-changes.ts';
import { limitIssue, readAllowance } from '../rule/pattern-limit.ts';

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

const former = ({ websiteId, revision }: Change): SQL =>
  sql`b.website_id = ${websiteId}::int and b.rev_to = ${revision}::int`;

/** Ids of all redirects that the change touched, each once. */
function touchedSql({ websiteId, revision, counts, firstId, lastId }: Change): SQL {
  const website = sql`website_id = ${websiteId}::int`;
  const changed = sql`select redirect_id as id from redirect_revisions where ${website} and rev_to = ${revision}::int`;
  if (counts.created === 0) return changed;
  const range = sql`between ${firstId + 1}::bigint and ${lastId}::bigint`;
  return sql`${changed}
    union all select id from redirects where ${website} and id ${range}
    union all select distinct redirect_id from redirect_revisions v where ${website} and redirect_id ${range}
      and not exists (select from redirects r where r.website_id = v.website_id and r.id = v.redirect_id)`;
}

/**
 * Plans the undo: `action` is what is to be done, `code` why not, `is_new` whether the redirect takes a path or becomes
 * a pattern, `touched` the environments whose rules change, as bits.
 */
export async function planUndo(tx: Queryable, website: LockedWebsite, change: Change): Promise<void> {
  const isAllowed = sql.raw(isAllowedSql(website.allowedTargetHosts));
  await tx.execute(sql`create temporary table undo_plan
    (id bigint not null, action text not null, code text, is_new boolean, touched int not null) on commit drop`);
  await tx.execute(sql`
    insert into undo_plan
    select t.id, case when b.created_at is null then 'delete' when r.id is null then 'recreate' else 'restore' end,
      case when ${sql.raw(CHANGED_SINCE)} then 'CHANGED_SINCE'
        when not b.is_allowed and b.new_path is distinct from r.new_path then 'TARGET_HOST_NOT_ALLOWED' end,
      b.created_at is not null and (r.id is null or (r.key, r.is_regex) is distinct from (b.key, b.is_regex)),
      case when b.created_at is null then ${sql.raw(bitsOf('r'))} when r.id is null then ${sql.raw(bitsOf('b'))}
        when ${sql.raw(RULE_CHANGES)} then ${sql.raw(bitsOf('r'))} | ${sql.raw(bitsOf('b'))}
        else ${sql.raw(bitsOf('r'))} # ${sql.raw(bitsOf('b'))} end
    from (${touchedSql(change)}) t
    left join (select *, ${isAllowed} as is_allowed from redirect_revisions b where ${former(change)}) b on b.redirect_id = t.id
    left join lateral (
      select * from redirect_revisions n where n.website_id = ${website.id}::int and n.redirect_id = t.id
        and n.rev_to > ${change.revision}::int order by n.rev_to limit 1) a on true
    left join redirects r on r.website_id = ${website.id}::int and r.id = t.id`);
  await tx.execute(sql`analyze undo_plan`);
}

/** Deletes the redirects that the change created. Then their paths and patterns are free. */
export async function deleteCreated(tx: Queryable, website: LockedWebsite): Promise<void> {
  await tx.execute(sql`
    delete from redirects r using undo_plan p
    where r.website_id = ${website.id}::int and r.id = p.id and p.action = 'delete' and p.code is null`);
}

/** Marks the redirects whose former path is taken, and then those for whose former pattern there is no room. */
export async function markConflicts(tx: Queryable, website: LockedWebsite, change: Change): Promise<void> {
  await tx.execute(sql`
    update undo_plan p set code = ${'CONFLICT' satisfies UndoConflict}::text from redirect_revisions b, redirects o
    where p.is_new and p.code is null and ${former(change)} and b.redirect_id = p.id
      and o.website_id = b.website_id and o.key = b.key and o.id <> p.id`);
  const patterns = await queryRows<{ id: number; key: string }>(tx)`
    select p.id, b.key from undo_plan p join redirect_revisions b on ${former(change)} and b.redirect_id = p.id
    where p.is_new and p.code is null and b.is_regex order by p.id`;
  if (patterns.length === 0) return;
  const allowance = await readAllowance(tx, website.id);
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

const VALUES = [...SERVED, ...LABELS];
const INSERTED = [...VALUES, ...TIMES].join(', ');

/** Gives the changed redirects their former fields. The set-based twin of `planChange` (../rule/change.ts). */
export async function restoreChanged(tx: Queryable, { rev }: LockedWebsite, change: Change): Promise<void> {
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
    from redirect_revisions b join undo_plan p on p.id = b.redirect_id
    where ${former(change)} and p.action = 'restore' and p.code is null and r.website_id = b.website_id and r.id = p.id`);
}

/** Inserts the deleted redirects again, with their ids and times. */
export async function recreateDeleted(tx: Queryable, website: LockedWebsite, change: Change): Promise<void> {
  const isRecreated = sql`p.action = 'recreate' and p.code is null`;
  await recordAbsence(tx, website, sql`select id from undo_plan p where ${isRecreated}`);
  const rev = sql`${website.rev}::int`;
  const since = TARGETS.map((name) => sql`case when ${sql.raw(`b.${name}`)} is not null then ${rev} end`);
  await tx.execute(sql`
    insert into redirects (id, website_id, rev, ${sql.raw([...TARGETS, INSERTED].join(', '))})
    select b.redirect_id, b.website_id, ${rev}, ${sql.join(since, sql`, `)},
      ${sql.raw(columns([...VALUES, ...TIMES], 'b'))} from redirect_revisions b join undo_plan p on p.id = b.redirect_id
    where ${former(change)} and ${isRecreated} order by b.key`);
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
    from (${query}) t cross join lateral (
      select * from redirect_revisions l where l.website_id = ${id}::int and l.redirect_id = t.id
      order by l.rev_to desc limit 1) v`);
}
