/**
 * The verdict on every row of a dry run, as a table that can be read by place (find-rows.ts). Made of what the merge has left: the
 * stage with one entry a path that would be applied and, marked special, those that were looked at one by one; and the import's errors.
 */
import type { PoolClient } from 'pg';
import { ROW_CHANGES, type RowChange, type Verdict, VERDICTS } from '../../vocabulary/import-verdict.ts';
import { type ConflictMode, PROVIDED } from './entry.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { isLockTimeout } from '../../db/errors.ts';

export type VerdictCounts = Record<Verdict, number>;

export interface RowsToKeep {
  importId: string;
  websiteId: number;
  /** the staging table after the merge of a dry run */
  stage: string;
  mode: ConflictMode;
}

/** Makes the table and counts its rows. One sort of the rows; nothing of them passes through this process. */
export async function storeVerdicts(client: PoolClient, rows: RowsToKeep): Promise<VerdictCounts> {
  const table = `"${rowTable(rows.importId)}"`;
  const { rowCount } = await client.query(`select 1 from ${rows.stage} where special limit 1`);
  const staged = stagedRows(rows, rowCount !== 0);
  // By place in the file and by place among those of one verdict, so that any window of either is one look into an index. Of a line
  // that stands in several parts the first counts: an entry that is applied or refused was special before.
  await client.query(`create unlogged table ${table} as
    select (row_number() over (order by x.line) - 1)::int as n, (row_number() over (partition by x.verdict order by x.line) - 1)::int as at, x.*
    from (select distinct on (line) * from (${staged} union all ${badRows(rows)}) part order by line, part) x`);
  await client.query(`create index on ${table} (n)`);
  await client.query(`create index on ${table} (verdict, at)`);
  const { rows: counted } = await client.query<{ verdict: number; count: number }>(
    `select verdict, count(*)::int as count from ${table} group by verdict`,
  );
  const counts: VerdictCounts = { new: 0, replaces: 0, unchanged: 0, skipped: 0, repeated: 0, invalid: 0 };
  for (const { verdict, count } of counted) {
    const name = VERDICTS[verdict];
    if (name) counts[name] = count;
  }
  return counts;
}

const place = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
const bit = (field: RowChange): number => 1 << ROW_CHANGES.indexOf(field);

/** What a line is taken from where it stands in several parts. */
const PART = { decides: 0, bad: 1, special: 2 } as const;

/**
 * Every entry, compared with the redirect of its path as updating would compare them. No joins of the stage with itself or with the
 * errors: whatever the planner takes them for, the cost must not grow with the square of a file of nothing but special rows.
 */
function stagedRows({ websiteId, stage, mode }: RowsToKeep, hasSpecials: boolean): string {
  const differs = mode === 'update' ? place('replaces') : place('skipped');
  // With `skip` the redirect that is there decides about each row of its path; else, and where there is none, one row of the file does.
  const isRepeated = mode === 'update' ? 's.special' : 's.special and r.id is null';
  const decides = hasSpecials ? 'max(line) filter (where not special) over (partition by key)' : 'null::int';
  return `select s.line, (case when s.special then ${PART.special} else ${PART.decides} end) as part,
    (case when ${isRepeated} then ${place('repeated')} when r.id is null then ${place('new')}
      when d.changes = 0 then ${place('unchanged')} else ${differs} end)::smallint as verdict,
    coalesce(s.old_path, s.key) as old_path, s.new_path,
    (case when s.given & ${PROVIDED.statusCode} > 0 then s.status_code else coalesce(r.status_code, 301) end)::smallint as status_code,
    case when s.given & ${PROVIDED.isRegex} > 0 then s.is_regex else coalesce(r.is_regex, false) end as is_regex,
    r.id as there_id, r.new_path as there_new_path, r.status_code as there_status_code, d.changes,
    case when ${isRepeated} then s.decides end as by_line, null::text as field, null::text as code, null::text as message
  from (select *, ${decides} as decides from ${stage}) s
  left join redirects r on r.website_id = ${websiteId} and r.key = s.key
  cross join lateral (select (case when r.id is null then 0 else ${changes()} end)::smallint as changes) d`;
}

/** Bits of the fields that the row gives and that are different now. */
function changes(): string {
  const isGiven = (given: number): string => `s.given & ${given} > 0 and `;
  const targets =
    '(r.in_prod is not null)::int + (r.in_staging is not null)::int * 2 + (r.in_dev is not null)::int * 4';
  const tests: [RowChange, string][] = [
    ['new_path', 's.new_path is distinct from r.new_path'],
    ['status_code', `${isGiven(PROVIDED.statusCode)} s.status_code is distinct from r.status_code`],
    ['is_regex', `${isGiven(PROVIDED.isRegex)} s.is_regex is distinct from r.is_regex`],
    ['group_id', `${isGiven(PROVIDED.groupId)} s.group_id is distinct from r.group_id`],
    ['notes', `${isGiven(PROVIDED.notes)} s.notes is distinct from r.notes`],
    ['target_environments', `${isGiven(PROVIDED.environments)} s.targets <> ${targets}`],
  ];
  return tests.map(([field, test]) => `case when ${test} then ${bit(field)} else 0 end`).join(' + ');
}

function badRows({ importId }: RowsToKeep): string {
  return `select e.line, ${PART.bad}, ${place('invalid')}::smallint, e.old_path, null::text, null::smallint, null::boolean,
      null::bigint, null::text, null::smallint, 0::smallint, null::int, e.field, e.code, e.message
    from import_errors e where e.import_id = '${importId}'`;
}

/** A dry run's rows can be read for this long. */
const KEPT = '1 hour';
/** Dry runs of one account whose rows are kept; the oldest go first. */
const KEPT_AN_ACCOUNT = 5;
/** A table that somebody is reading is dropped by the next run: whoever comes after must not queue behind the drop. */
const LOCK_WITHIN_MS = 200;

/**
 * The unlogged table with the verdict on every row of a dry run. Tables rather than rows of one: dropping is free, and nothing of a
 * file that was only looked at goes through the write-ahead log.
 */
export function rowTable(importId: string): string {
  return `import_rows_${importId}`;
}

const TABLES = sql.raw(`pg_class c left join imports i on i.id = substr(c.relname, ${rowTable('').length + 1})
  where c.relkind = 'r' and c.relname like 'import\\_rows\\_%' and c.relnamespace = current_schema()::regnamespace`);

/** Drops what was kept long enough. For a loop; safe on several processes at once. */
export async function dropOldRowTables(db: Db): Promise<void> {
  const isOld = sql`(i.id is null or i.completed_at < clock_timestamp() - ${sql.raw(`interval '${KEPT}'`)})`;
  await dropTables(db, sql`select c.relname as name from ${TABLES} and ${isOld}`);
}

/** Leaves an account the newest few. */
export async function dropSurplusRowTables(db: Db, accountId: number): Promise<void> {
  await dropTables(
    db,
    sql`select c.relname as name from ${TABLES} and i.account_id = ${accountId}
      order by i.completed_at desc, i.id offset ${KEPT_AN_ACCOUNT}`,
  );
}

async function dropTables(db: Db, names: SQL): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(names);
  for (const { name } of rows) {
    try {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_WITHIN_MS}`));
        await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}
