import type { Db } from '../../../db/connection/client.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { isMissingTable } from '../../../db/errors.ts';
import { queryRows } from '../../../db/rows.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import {
  ROW_CHANGES,
  ROW_FIELDS,
  ROW_NOTICES,
  type RowChange,
  type RowField,
  type RowNotice,
  type Verdict,
  VERDICTS,
} from '../../../vocabulary/import/verdict.ts';
import type { ImportRow } from './find-import.ts';
import { verdictTable } from './store-verdicts.ts';

/** A row of a file and the effect of importing it. */
export interface RowVerdict {
  /** physical line of the file */
  line: number;
  verdict: Verdict;
  /** as in the file if the row is invalid; null if it could not be read */
  oldPath: string | null;
  newPath: string | null;
  /** null, like `isRegex`, if the row is invalid */
  statusCode: number | null;
  isRegex: boolean | null;
  /** the redirect that the path has now */
  there: { id: number; newPath: string | null; statusCode: number } | null;
  /** the fields in which the row differs from that redirect */
  changes: RowChange[];
  /** line of the row that decides about the path, if this one is repeated */
  byLine: number | null;
  /** why an invalid row is left out */
  error: { column: string; code: string; message: string } | null;
  /** the cells of an invalid row by field, for a correction; null for other rows, and if the row is not stored */
  values: Partial<Record<RowField, string>> | null;
}

/** Rows of one verdict and with one notice, or of all if both are undefined. */
export interface RowChoice {
  verdict: Verdict | undefined;
  notice: RowNotice | undefined;
}

export interface RowWindow extends RowChoice {
  offset: number;
  limit: number;
}

/** Returns rows of a dry run in file order. Throws IMPORT_NOT_FOUND if they are not stored or expired. */
export async function findRows(db: Db, found: ImportRow, window: RowWindow) {
  return orExpired(found, async () => {
    const total = await countRows(db, found, window);
    return { rows: window.offset < total ? await readRows(db, found, window) : [], total };
  });
}

const PAGE_SIZE = 500;

/** Yields all rows of a dry run, or those of a choice, in file order. Throws as findRows does. */
export async function* streamRows(db: Db, found: ImportRow, { verdict, notice }: RowChoice) {
  const total = await orExpired(found, () => countRows(db, found, { verdict, notice: undefined }));
  for (let offset = 0; offset < total; offset += PAGE_SIZE) {
    const page = sql`${rangeOf({ verdict, offset, limit: PAGE_SIZE })} and ${hasNotice(notice)} order by v.n`;
    yield await orExpired(found, () => selectRows(db, found, page));
  }
}

/** A crash of the database empties an unlogged table: if rows are missing, it counts as expired. */
async function countRows(db: Db, found: ImportRow, { verdict, notice }: RowChoice): Promise<number> {
  const table = verdictTable(found.id);
  const last =
    notice !== undefined
      ? sql`select count(*)::int - 1 from ${table} v where ${hasVerdict(verdict)} and ${hasNotice(notice)}`
      : verdict === undefined
        ? sql`select n from ${table} order by n desc limit 1`
        : sql`select at from ${table} v where ${hasVerdict(verdict)} order by at desc limit 1`;
  const [row] = await queryRows<{ total: number; isEmpty: boolean }>(
    db,
  )`select coalesce((${last}), -1) + 1 as total, not exists (select 1 from ${table}) as is_empty`;
  if (row?.isEmpty && found.received > 0) throw rowsNotFound(found.id);
  return row?.total ?? 0;
}

const hasVerdict = (verdict: Verdict | undefined): SQL =>
  verdict === undefined ? sql`true` : sql`v.verdict = ${VERDICTS.indexOf(verdict)}`;

const hasNotice = (notice: RowNotice | undefined): SQL =>
  notice === undefined ? sql`true` : sql`v.notices & ${1 << ROW_NOTICES.indexOf(notice)}::int <> 0`;

/** Positions among all rows, or among those of the verdict. */
function rangeOf({ verdict, offset, limit }: Omit<RowWindow, 'notice'>): SQL {
  if (verdict === undefined) return sql`v.n >= ${offset} and v.n < ${offset + limit}`;
  return sql`${hasVerdict(verdict)} and v.at >= ${offset} and v.at < ${offset + limit}`;
}

/** A row as stored: verdict and changes are the position and the bits of the names in VERDICTS and ROW_CHANGES. */
type StoredVerdict = Omit<RowVerdict, 'verdict' | 'changes' | 'values'> & {
  verdict: number;
  changes: number;
  cells: string[] | null;
};

const COLUMNS = sql`v.line, verdict, v.old_path, new_path, status_code, is_regex, changes, by_line, cells,
  case when there_id is not null
    then jsonb_build_object('id', there_id, 'newPath', there_new_path, 'statusCode', there_status_code) end as there,
  case when v.code is not null
    then jsonb_build_object('column', coalesce(v.field, 'row'), 'code', v.code, 'message', v.message) end as error`;

/** Rows with a notice have no positions of their own: those before the window are counted again. */
function readRows(db: Db, found: ImportRow, window: RowWindow) {
  const { verdict, notice, offset, limit } = window;
  if (notice === undefined) return selectRows(db, found, sql`${rangeOf(window)} order by v.n`);
  const chosen = sql`${hasVerdict(verdict)} and ${hasNotice(notice)}`;
  return selectRows(db, found, sql`${chosen} order by v.n limit ${limit} offset ${offset}`);
}

async function selectRows(db: Db, { id, fields }: ImportRow, chosen: SQL) {
  const rows = await queryRows<StoredVerdict>(db)`select ${COLUMNS} from ${verdictTable(id)} v
      left join import_errors e on e.import_id = ${id} and e.n = v.error_n where ${chosen}`;
  return rows.map(({ cells, ...row }) => ({
    ...row,
    values: valuesOf(row, cells, fields),
    verdict: VERDICTS[row.verdict] ?? 'invalid',
    changes: ROW_CHANGES.filter((_, at) => row.changes & (1 << at)),
  }));
}

/** A row that is not CSV has its text in the first cell: no cell of it has a field. */
function valuesOf(
  { error }: Pick<StoredVerdict, 'error'>,
  cells: readonly string[] | null,
  fields: readonly string[] | null,
): RowVerdict['values'] {
  if (!cells || !fields) return null;
  if (error?.code === 'MALFORMED_ROW' && cells.length === 1 && fields.length > 1) return {};
  return Object.fromEntries(
    ROW_FIELDS.flatMap((field) => {
      const at = fields.indexOf(field);
      return at < 0 ? [] : [[field, cells[at] ?? '']];
    }),
  );
}

async function orExpired<T>({ id }: ImportRow, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isMissingTable(error) ? rowsNotFound(id) : error;
  }
}

function rowsNotFound(id: string): DomainError {
  return new DomainError('IMPORT_NOT_FOUND', 'The rows of this import are not stored', {
    details: `id: only a dry run with report=true stores the rows of ${id}, for an hour; check the file again`,
  });
}
