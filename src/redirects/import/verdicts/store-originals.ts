/**
 * The invalid rows of a file as they are in it, so that the list of errors can be fixed and imported again. They are
 * read from the file a second time, because some rows prove invalid only when they are merged.
 */
import type { Db } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import type { RowField } from '../../../vocabulary/import/verdict.ts';
import { type ErrorLog, type ErrorPlace, storable } from '../engine/error-log.ts';

/** A row of a file: the line where it begins, and its cells. */
export interface OriginalRow {
  line: number;
  cells: readonly string[];
}

export interface OriginalRows {
  headers: readonly string[];
  /** the field of each column, '' for one that no correction can set; null if rows cannot be corrected */
  fields: readonly (RowField | '')[] | null;
  /** Reads the file from its start. */
  read(): AsyncIterable<OriginalRow[]>;
}

/** A statement has at most this many rows, and ends with the row that exceeds this many characters. */
const BATCH_ROWS = 1_000;
const BATCH_CHARACTERS = 1024 * 1024;
/** Characters stored for one import. A row is at most 64 KiB, and a file may have 1,000,000 invalid ones. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Stores the cells of the first 100,000 invalid rows, up to `maxCharacters` in all. Rows beyond have none. */
export async function storeOriginals(
  db: Db,
  importId: string,
  { headers, fields, read }: OriginalRows,
  errors: Pick<ErrorLog, 'places'>,
  maxCharacters = MAX_CHARACTERS,
): Promise<void> {
  const places = errors.places();
  if (places.length === 0) return;
  await db.execute(
    sql`update imports set headers = ${sql.param(headers.map(storable))}::text[], fields = ${sql.param(fields)}::text[]
      where id = ${importId}`,
  );
  let left = maxCharacters;
  let batchCharacters = 0;
  let batch: (ErrorPlace & { cells: string[] })[] = [];
  const store = async (): Promise<void> => {
    if (batch.length > 0) await updateCells(db, importId, batch);
    batch = [];
    batchCharacters = 0;
  };
  for await (const { place, cells } of placed(read(), places)) {
    const characters = cells.reduce((sum, cell) => sum + cell.length, 0);
    left -= characters;
    if (left < 0) break;
    batchCharacters += characters;
    batch.push({ ...place, cells: cells.map(storable) });
    if (batch.length >= BATCH_ROWS || batchCharacters >= BATCH_CHARACTERS) await store();
  }
  await store();
}

/** Joins the rows of the file with the errors, both by line. Ends after the last error. */
async function* placed(rows: AsyncIterable<OriginalRow[]>, places: readonly ErrorPlace[]) {
  let next = 0;
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      while ((places[next]?.line ?? Infinity) < line) next++;
      for (let place = places[next]; place?.line === line; place = places[++next]) yield { place, cells };
    }
    if (next >= places.length) return;
  }
}

async function updateCells(db: Db, importId: string, batch: readonly { n: number; cells: string[] }[]): Promise<void> {
  const rows = JSON.stringify(batch.map(({ n, cells }) => ({ n, cells })));
  await db.execute(sql`
    update import_errors e set cells = r.cells
    from (select n, array(select jsonb_array_elements_text(cells)) as cells
      from jsonb_to_recordset(${rows}::jsonb) as x(n int, cells jsonb)) r
    where e.import_id = ${importId} and e.n = r.n`);
}
