/**
 * A change of a redirect in SQL: the set-based twin of `planChange` (../rule/change.ts). A test compares the two on
 * random rows. `s` is a row of the staging table, `r` the existing redirect of its key.
 */
import { type SQL, sql } from '../../../db/drizzle.ts';
import { ROW_CHANGES, type RowChange } from '../../../vocabulary/import-verdict.ts';
import { DEFAULT_TARGETS, PROVIDED } from './staged-row.ts';

/** A constant of the code as SQL text: the planner and the types of `case` need no parameter. */
export const constant = (value: number): SQL => sql.raw(String(value));

const isProvided = (field: keyof typeof PROVIDED): SQL => sql`s.provided & ${constant(PROVIDED[field])} > 0`;

/** Targets of a new redirect, as bits. */
export const NEW_TARGETS = sql`case when ${isProvided('environments')} then s.targets else ${constant(DEFAULT_TARGETS)} end`;

/** Values of a new redirect; what the row does not provide is null in the staging table. */
export const NEW_STATUS_CODE = sql`coalesce(s.status_code, 301)`;
export const NEW_IS_REGEX = sql`coalesce(s.is_regex, false)`;

/** Targets of the existing redirect, as bits. */
export const TARGETS_BEFORE = sql`((r.in_prod is not null)::int + (r.in_staging is not null)::int * 2 + (r.in_dev is not null)::int * 4)`;

/** The values of the existing redirect after the change: a row `v` for each `s` and `r`. */
export const VALUES_AFTER = sql`lateral (select s.new_path,
    case when ${isProvided('statusCode')} then s.status_code else r.status_code end as status_code,
    case when ${isProvided('isRegex')} then s.is_regex else r.is_regex end as is_regex,
    case when ${isProvided('groupId')} then s.group_id else r.group_id end as group_id,
    case when ${isProvided('notes')} then s.notes else r.notes end as notes,
    case when ${isProvided('activeFrom')} then s.active_from else r.active_from end as active_from,
    case when ${isProvided('activeUntil')} then s.active_until else r.active_until end as active_until,
    case when ${isProvided('environments')} then s.targets else ${TARGETS_BEFORE} end as targets,
    ${TARGETS_BEFORE} as targets_before) v`;

/** The path of the entry as it is written. */
const SPELLING = sql`coalesce(s.old_path, s.key)`;

const bit = (field: RowChange): SQL => constant(1 << ROW_CHANGES.indexOf(field));

/** The fields that change, as bits in the order of ROW_CHANGES, and one more for the spelling of the path. Needs `v`. */
export const CHANGES = sql`((v.new_path is distinct from r.new_path)::int * ${bit('new_path')}
    + (v.status_code is distinct from r.status_code)::int * ${bit('status_code')}
    + (v.is_regex is distinct from r.is_regex)::int * ${bit('is_regex')}
    + (v.group_id is distinct from r.group_id)::int * ${bit('group_id')}
    + (v.notes is distinct from r.notes)::int * ${bit('notes')}
    + (v.targets <> v.targets_before)::int * ${bit('target_environments')}
    + (v.active_from is distinct from r.active_from)::int * ${bit('active_from')}
    + (v.active_until is distinct from r.active_until)::int * ${bit('active_until')}
    + (${isProvided('oldPath')} and ${SPELLING} <> r.old_path)::int * ${constant(1 << ROW_CHANGES.length)})`;

/** A literal and a pattern may share a key but differ in spelling: a change of kind stores the row's spelling. */
export const OLD_PATH_AFTER = sql`case when v.is_regex = r.is_regex and not ${isProvided('oldPath')} then r.old_path else ${SPELLING} end`;

const SERVED = (['new_path', 'status_code', 'is_regex', 'active_from', 'active_until'] as const).reduce(
  (bits, field) => bits | (1 << ROW_CHANGES.indexOf(field)),
  0,
);

/** A served field changes, and so does every environment of the redirect. `n.changes` has the bits of CHANGES. */
export const RULE_CHANGED = sql`n.changes & ${constant(SERVED)} > 0`;
export const RETARGETED = sql`n.changes & ${bit('target_environments')} > 0`;

/** A field changes by which redirects are counted (`redirect_days`, `redirect_groups`). */
export const RECOUNTED = sql`n.changes & (${bit('group_id')} | ${bit('target_environments')}) > 0`;

/** The environments whose rules change, as bits. */
export const TOUCHED = sql`case when ${RULE_CHANGED} then n.targets | n.targets_before else n.targets # n.targets_before end`;

/** The in_x columns of a new redirect: targeted since `rev`. */
export const targetedSince = (rev: number): SQL =>
  eachTarget((_, isTargeted) => sql`case when ${isTargeted(NEW_TARGETS)} then ${rev}::int end`);

/** The in_x columns after a change: targeted since `rev`, or since when the unchanged rule has been. */
export const targetedSinceAfter = (rev: number): SQL =>
  eachTarget(
    (column, isTargeted) => sql`${column} = case when ${isTargeted(sql`n.targets`)}
      then case when ${RULE_CHANGED} then ${rev}::int else coalesce(r.${column}, ${rev}::int) end end`,
  );

function eachTarget(of: (column: SQL, isTargeted: (targets: SQL) => SQL) => SQL): SQL {
  const columns = ['in_prod', 'in_staging', 'in_dev'].map((column, at) =>
    of(sql`${sql.identifier(column)}`, (targets) => sql`(${targets}) & ${constant(1 << at)} > 0`),
  );
  return sql.join(columns, sql`, `);
}
