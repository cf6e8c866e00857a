/**
 * A change of a redirect in SQL: the set-based twin of `planChange` (../rule/change.ts). A test compares the two on
 * random rows. `s` is a row of the staging table, `r` the existing redirect of its key. Also sets the memory and renews
 * the statistics of the database for statements that change many redirects.
 */
import { type SQL, sql } from '../../../db/drizzle.ts';
import { ROW_CHANGES, type RowChange } from '../../../vocabulary/import/verdict.ts';
import {
  DEFAULTS,
  FIELD_NAMES,
  type FieldName,
  FIELDS,
  OPTIONAL_FIELDS,
  SERVED_COLUMNS,
  TARGET_COLUMNS,
  targetBitsSql,
} from '../../rule/fields.ts';
import { DEFAULT_TARGETS, providedBit } from './staged-row.ts';
import { type Db, type Queryable, withClient } from '../../../db/connection/client.ts';

/** A constant of the code as SQL text: the planner and the types of `case` need no parameter. */
export const constant = (value: number): SQL => sql.raw(String(value));

const isProvided = (name: FieldName): SQL => sql`s.provided & ${constant(providedBit(name))} > 0`;
const columnOf = (row: 's' | 'r' | 'v', name: FieldName): SQL => sql.raw(`${row}.${FIELDS[name].wire}`);

const SPELLING = sql`coalesce(s.old_path, s.key)`;

/** Targets of a new redirect, as bits. */
export const NEW_TARGETS = sql`case when ${isProvided('environments')} then s.targets else ${constant(DEFAULT_TARGETS)} end`;

/** The value of a new redirect; what the row does not provide is null in the staging table. */
export function newValue(name: Exclude<FieldName, 'environments'>): SQL {
  if (name === 'oldPath') return SPELLING;
  const initial = name === 'newPath' ? null : DEFAULTS[name];
  return initial === null ? columnOf('s', name) : sql`coalesce(${columnOf('s', name)}, ${sql.raw(String(initial))})`;
}

/** Targets of the existing redirect, as bits. */
export const TARGETS_BEFORE = sql.raw(targetBitsSql('r'));

/**
 * The fields that a sync decides: a row that does not provide one of them has its default, and all other fields keep
 * their value. Undefined for an import: each row decides the fields that it provides.
 */
export type DecidedFields = ReadonlySet<FieldName> | undefined;

/** The values of the existing redirect after the change: a row `v` for each `s` and `r`. */
export const valuesAfter = (decided?: DecidedFields): SQL => sql`lateral (select s.new_path,
    ${sql.join(
      OPTIONAL_FIELDS.filter((name) => name !== 'environments').map(
        (name) => sql`${valueAfter(name, decided)} as ${sql.identifier(FIELDS[name].wire)}`,
      ),
      sql`, `,
    )},
    ${decidedValue('environments', decided, { entry: sql`s.targets`, kept: TARGETS_BEFORE, initial: NEW_TARGETS })} as targets,
    ${TARGETS_BEFORE} as targets_before) v`;

const valueAfter = (name: Exclude<FieldName, 'environments'>, decided: DecidedFields): SQL =>
  decidedValue(name, decided, { entry: columnOf('s', name), kept: columnOf('r', name), initial: newValue(name) });

function decidedValue(name: FieldName, decided: DecidedFields, value: { entry: SQL; kept: SQL; initial: SQL }): SQL {
  if (decided) return decided.has(name) ? value.initial : value.kept;
  return sql`case when ${isProvided(name)} then ${value.entry} else ${value.kept} end`;
}

/** By field, how many of the changes clear it: the entry has no value, so a stored one is replaced by the default. */
export function countCleared(decided: DecidedFields): SQL {
  const counts = OPTIONAL_FIELDS.filter((name) => decided?.has(name)).map(
    (name) => sql`${FIELDS[name].wire}::text, count(*) filter (where cleared & ${clearedBit(name)} > 0)`,
  );
  return sql`jsonb_build_object(${sql.join(counts, sql`, `)})`;
}

/** The cleared fields of one change, as bits. Needs `v`. */
export function clearedBits(decided: DecidedFields): SQL {
  const bits = OPTIONAL_FIELDS.filter((name) => decided?.has(name)).map((name) => {
    if (name === 'environments')
      return sql`(not ${isProvided(name)} and v.targets_before <> ${constant(DEFAULT_TARGETS)})::int * ${clearedBit(name)}`;
    const initial = DEFAULTS[name] === null ? sql`null` : sql.raw(String(DEFAULTS[name]));
    return sql`(${columnOf('s', name)} is null and ${columnOf('r', name)} is distinct from ${initial})::int * ${clearedBit(name)}`;
  });
  return bits.length === 0 ? constant(0) : sql`(${sql.join(bits, sql` + `)})`;
}

const clearedBit = (name: FieldName): SQL => constant(providedBit(name));

const bit = (field: RowChange): SQL => constant(1 << ROW_CHANGES.indexOf(field));

/** The fields that change, as bits in the order of ROW_CHANGES, and one more for the spelling of the path. Needs `v`. */
export const CHANGES = sql`(${sql.join(FIELD_NAMES.map(changeOf), sql` + `)})`;

function changeOf(name: FieldName): SQL {
  if (name === 'oldPath')
    return sql`(${isProvided(name)} and ${SPELLING} <> r.old_path)::int * ${constant(1 << ROW_CHANGES.length)}`;
  if (name === 'environments') return sql`(v.targets <> v.targets_before)::int * ${bit(FIELDS[name].wire)}`;
  return sql`(${columnOf('v', name)} is distinct from ${columnOf('r', name)})::int * ${bit(FIELDS[name].wire)}`;
}

/** A literal and a pattern may share a key but differ in spelling: a change of kind stores the row's spelling. */
export const OLD_PATH_AFTER = sql`case when v.is_regex = r.is_regex and not ${isProvided('oldPath')} then r.old_path else ${SPELLING} end`;

const SERVED_BITS = ROW_CHANGES.reduce((bits, name, at) => bits | (SERVED_COLUMNS.includes(name) ? 1 << at : 0), 0);

/** A served field changes, and so does every environment of the redirect. `n.changes` has the bits of CHANGES. */
export const RULE_CHANGED = sql`n.changes & ${constant(SERVED_BITS)} > 0`;
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
  const columns = TARGET_COLUMNS.map((column, at) =>
    of(sql`${sql.identifier(column)}`, (targets) => sql`(${targets}) & ${constant(1 << at)} > 0`),
  );
  return sql.join(columns, sql`, `);
}

/** The SQL twin of `changeTime` (../../../platform/clock.ts). */
export const changeTimeSql = (now: Date): SQL =>
  sql`greatest(${now.toISOString()}::timestamptz, date_trunc('second', r.updated_at) + interval '1 second')`;

/** Memory of the joins and sorts: a share of what the server grants a maintenance command, at most 256 MB. */
export async function raiseWorkMem(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    select set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')),
      least(pg_size_bytes(current_setting('maintenance_work_mem')) / 4, pg_size_bytes('256MB'))) / 1024 || 'kB', true)`);
}

/** Changed rows that renew the statistics at once: until autovacuum runs, small changes would scan all new rows. */
const ANALYZE_THRESHOLD = 10_000;

/** Renews the statistics after a transaction with many rows. `updated`: rows that left a former state. */
export async function renewStatistics(db: Db, { created, updated }: { created: number; updated: number }) {
  if (created + updated < ANALYZE_THRESHOLD) return;
  await withClient(db, async (client) => {
    // A sample of 3,000 rows shows that the table is large, in a tenth of the default sample's time.
    await client.query('set default_statistics_target = 10');
    await client.query('analyze redirects (website_id, id, key, rev)');
    if (updated >= ANALYZE_THRESHOLD) await client.query('analyze redirect_revisions');
    await client.query('reset default_statistics_target');
  });
}
