/**
 * The verdict on every row of a dry run, in an unlogged table `import_rows_<import id>` that read-verdicts.ts reads by
 * position. Its sources are the import's errors and the staging table after the merge: one entry for each path that
 * would be applied and, marked `needs_replay`, the replayed ones. With a table for each run, dropping is free and the
 * rows never pass through the write-ahead log.
 */
import type { Db, Queryable } from '../../../db/connection/client.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { isLockTimeout } from '../../../db/errors.ts';
import { queryRows } from '../../../db/rows.ts';
import type { RowMarks } from '../../../formats/rows/notices.ts';
import { type Verdict, VERDICTS } from '../../../vocabulary/import/verdict.ts';
import type { DryRun, VerdictCounts } from '../engine/import-request.ts';
import { CHANGES, constant, newValue, valuesAfter } from '../engine/change-sql.ts';

/** Creates the table and returns its rows by verdict. Sorts the rows once; none of them passes through this process. */
export async function storeVerdicts(db: Queryable, run: DryRun, marks?: RowMarks): Promise<VerdictCounts> {
  const table = verdictTable(run.importId);
  const { rowCount } = await db.execute(sql`select 1 from ${sql.identifier(run.stage)} where needs_replay limit 1`);
  const parts = sql`${stagedRows(run, rowCount !== 0)} union all ${invalidRows(run)}`;
  // Positions in the file and among the rows of one verdict, so that one index lookup finds any window of either. A
  // line may have several entries, and an entry may be in two parts: the first one counts, since an applied entry may
  // also be a replayed one.
  const notices = await stageMarks(db, marks);
  await db.execute(sql`create unlogged table ${table} as
    select (row_number() over (order by x.line, x.entry) - 1)::int as n,
      (row_number() over (partition by x.verdict order by x.line, x.entry) - 1)::int as at, x.*, m.notices
    from (select distinct on (line, entry) * from (${parts}) part order by line, entry, part) x
    left join (select line, bit_or(bits) as notices from ${notices} group by line) m on m.line = x.line`);
  await db.execute(sql`create index on ${table} (n)`);
  await db.execute(sql`create index on ${table} (verdict, at)`);
  const counted = await queryRows<{ verdict: number; count: number }>(
    db,
  )`select verdict, count(*)::int as count from ${table} group by verdict`;
  const counts: VerdictCounts = { new: 0, replaces: 0, unchanged: 0, skipped: 0, repeated: 0, invalid: 0 };
  for (const { verdict, count } of counted) {
    const name = VERDICTS[verdict];
    if (name) counts[name] = count;
  }
  return counts;
}

/** Stores the notices of rows in a temporary table, as bits by line, if there are any. */
async function stageMarks(db: Queryable, marks: RowMarks | undefined): Promise<SQL> {
  const table = sql.identifier('import_row_notices');
  let isCreated = false;
  for (const { lines, bits } of marks?.parts() ?? []) {
    if (!isCreated) await db.execute(sql`create temporary table ${table} (line int, bits int) on commit drop`);
    isCreated = true;
    const rows = sql`unnest(${sql.param(lines)}::int[], ${sql.param(bits)}::int[])`;
    await db.execute(sql`insert into ${table} select * from ${rows}`);
  }
  if (!isCreated) return sql`(select null::int as line, null::int as bits where false) none`;
  await db.execute(sql`analyze ${table}`);
  return sql`${table}`;
}

/** The parts of the table in the order in which they decide about an entry. */
const PART = { applied: constant(0), replayed: constant(1), invalid: constant(2) } as const;

const code = (verdict: Verdict): SQL => constant(VERDICTS.indexOf(verdict));

/**
 * Every entry, compared with the redirect of its path as an update would. Never joins the stage with itself or with the
 * errors: if the planner misjudges them, the cost must not grow with the square of a file of replayed rows.
 */
function stagedRows({ websiteId, stage, mode }: DryRun, hasReplayed: boolean): SQL {
  const ifDifferent = code(mode === 'update' ? 'replaces' : 'skipped');
  // With `skip` an existing redirect decides about each row of its path. Otherwise one row of the file does.
  const isRepeated = mode === 'update' ? sql`s.needs_replay` : sql`s.needs_replay and r.id is null`;
  const deciding = hasReplayed
    ? sql`max(line) filter (where not needs_replay) over (partition by key)`
    : sql`null::int`;
  return sql`select s.line, s.seq as entry, (case when s.needs_replay then ${PART.replayed} else ${PART.applied} end) as part,
    (case when ${isRepeated} then ${code('repeated')} when r.id is null then ${code('new')}
      when d.changes = 0 then ${code('unchanged')} else ${ifDifferent} end)::smallint as verdict,
    coalesce(s.old_path, s.key) as old_path, s.new_path,
    (case when r.id is null then ${newValue('statusCode')} else v.status_code end)::smallint as status_code,
    case when r.id is null then ${newValue('isRegex')} else v.is_regex end as is_regex,
    r.id as there_id, r.new_path as there_new_path, r.status_code as there_status_code, d.changes,
    case when ${isRepeated} then s.deciding_line end as by_line, null::text as field, null::text as code, null::text as message, null::int as error_n
  from (select *, ${deciding} as deciding_line from ${sql.identifier(stage)}) s
  left join redirects r on r.website_id = ${websiteId} and r.key = s.key
  cross join ${valuesAfter()}
  cross join lateral (select (case when r.id is null then 0 else ${CHANGES} end)::smallint as changes) d`;
}

/** Entries below zero, since the staged ones count from zero. */
function invalidRows({ importId }: DryRun): SQL {
  return sql`select e.line, -1 - e.n, ${PART.invalid}, ${code('invalid')}::smallint, e.old_path, null::text, null::smallint, null::boolean,
      null::bigint, null::text, null::smallint, 0::smallint, null::int, e.field, e.code, e.message, e.n
    from import_errors e where e.import_id = ${importId}`;
}

/** How long the rows of a dry run can be read. */
const RETENTION = sql`interval '1 hour'`;
/** Dry runs of one account whose rows are retained; the oldest go first. */
const MAX_TABLES_PER_ACCOUNT = 5;
/** Short lock timeout, so that readers never queue behind the drop. The next run retries. */
const LOCK_TIMEOUT_MS = 200;

const PREFIX = 'import_rows_';

export function verdictTable(importId: string): SQL {
  return sql`${sql.identifier(PREFIX + importId)}`;
}

const TABLES = sql`pg_class c left join imports i on i.id = substr(c.relname, ${PREFIX.length + 1}::int)
  where c.relkind = 'r' and starts_with(c.relname, ${PREFIX}) and c.relnamespace = current_schema()::regnamespace`;

/** Drops the tables whose retention has ended. A periodic job; safe in several processes at once. */
export async function dropExpiredVerdicts(db: Db): Promise<void> {
  const expired = sql`(i.id is null or i.completed_at < clock_timestamp() - ${RETENTION})`;
  await dropTables(db, sql`select c.relname as name from ${TABLES} and ${expired}`);
}

/** Drops all but the newest tables of an account. */
export async function dropSurplusVerdicts(db: Db, accountId: number): Promise<void> {
  await dropTables(
    db,
    sql`select c.relname as name from ${TABLES} and i.account_id = ${accountId}
      order by i.completed_at desc, i.id offset ${MAX_TABLES_PER_ACCOUNT}`,
  );
}

async function dropTables(db: Db, names: SQL): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(names);
  for (const { name } of rows) {
    try {
      await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
        await tx.execute(sql`drop table if exists ${sql.identifier(name)}`);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}
