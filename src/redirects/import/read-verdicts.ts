import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { isMissingTable } from '../../db/errors.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { ROW_CHANGES, type RowChange, type Verdict, VERDICTS } from '../../vocabulary/import-verdict.ts';
import type { ImportRow } from './find-import.ts';
import { rowTable } from './store-verdicts.ts';

/** A row of a file with what an import would make of it. */
export interface RowVerdict {
  /** physical line of the file */
  line: number;
  verdict: Verdict;
  /** as the file has it where the row is invalid; null where it could not be read that far */
  oldPath: string | null;
  newPath: string | null;
  /** null, as `isRegex`, where the row is invalid */
  statusCode: number | null;
  isRegex: boolean | null;
  /** the redirect that the path has now */
  there: { id: number; newPath: string | null; statusCode: number } | null;
  /** in what the row differs from that redirect */
  changes: RowChange[];
  /** line of the row that decides about the path, where this one is repeated */
  byLine: number | null;
  /** why an invalid row is left out */
  error: { column: string; code: string; message: string } | null;
}

export interface RowWindow {
  verdict: Verdict | undefined;
  /** rows of that verdict, or of the file, before the first that is wanted */
  offset: number;
  limit: number;
}

/** Some rows of a dry run in the order of the file, and how many there are; IMPORT_NOT_FOUND where they are not kept. */
export async function findRows(
  db: Db,
  found: ImportRow,
  { verdict, offset, limit }: RowWindow,
): Promise<{ rows: RowVerdict[]; total: number }> {
  return whileKept(found, async () => {
    const total = await countRows(db, found, verdict);
    return { rows: offset < total ? await readRows(db, found.id, { verdict, offset, limit }) : [], total };
  });
}

const PAGE = 500;

/** Every row of a dry run, or every one of a verdict, in the order of the file. */
export async function* streamRows(
  db: Db,
  found: ImportRow,
  verdict: Verdict | undefined,
): AsyncGenerator<RowVerdict[]> {
  const { id } = found;
  const total = await whileKept(found, () => countRows(db, found, verdict));
  for (let offset = 0; offset < total; offset += PAGE) {
    yield await whileKept(found, () => readRows(db, id, { verdict, offset, limit: PAGE }));
  }
}

/** A crash of the database empties an unlogged table, so rows that must be there and are not are as good as dropped. */
async function countRows(db: Db, found: ImportRow, verdict: Verdict | undefined): Promise<number> {
  const table = sql.identifier(rowTable(found.id));
  const of = verdict === undefined ? undefined : sql`where verdict = ${VERDICTS.indexOf(verdict)}`;
  const { rows } = await db.execute<{ total: number; is_empty: boolean }>(sql`
    select coalesce((select ${of ? sql`at` : sql`n`} from ${table} ${of ?? sql``} order by 1 desc limit 1), -1) + 1 as total,
      not exists (select 1 from ${table}) as is_empty`);
  if (rows[0]?.is_empty && found.received > 0) throw notKept(found.id);
  return rows[0]?.total ?? 0;
}

async function readRows(db: Db, id: string, { verdict, offset, limit }: RowWindow): Promise<RowVerdict[]> {
  const table = sql.identifier(rowTable(id));
  const where: SQL =
    verdict === undefined
      ? sql`n >= ${offset} and n < ${offset + limit} order by n`
      : sql`verdict = ${VERDICTS.indexOf(verdict)} and at >= ${offset} and at < ${offset + limit} order by at`;
  const { rows } = await db.execute<StoredRow>(sql`select * from ${table} where ${where}`);
  return rows.map(rowVerdict);
}

interface StoredRow extends Record<string, unknown> {
  line: number;
  verdict: number;
  old_path: string | null;
  new_path: string | null;
  status_code: number | null;
  is_regex: boolean | null;
  there_id: string | number | null;
  there_new_path: string | null;
  there_status_code: number | null;
  changes: number;
  by_line: number | null;
  field: string | null;
  code: string | null;
  message: string | null;
}

function rowVerdict(row: StoredRow): RowVerdict {
  const { there_id: id, there_new_path: newPath, there_status_code: statusCode, code, field, message } = row;
  return {
    line: row.line,
    verdict: VERDICTS[row.verdict] ?? 'invalid',
    oldPath: row.old_path,
    newPath: row.new_path,
    statusCode: row.status_code,
    isRegex: row.is_regex,
    there: id === null || statusCode === null ? null : { id: Number(id), newPath, statusCode },
    changes: ROW_CHANGES.filter((_, at) => row.changes & (1 << at)),
    byLine: row.by_line,
    error: code === null ? null : { column: field ?? 'row', code, message: message ?? '' },
  };
}

async function whileKept<T>({ id }: ImportRow, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isMissingTable(error) ? notKept(id) : error;
  }
}

function notKept(id: string): DomainError {
  return new DomainError('IMPORT_NOT_FOUND', 'The rows of this import are not kept', {
    details: `id: only a dry run with report=true keeps the rows of ${id}, for an hour; check the file again`,
  });
}
