/** Reads expectations from CSV (RFC 4180, UTF-8) with a header of their field names, in any order. */
import { framedRows, headerDelimiter } from '../formats/read/csv/framed-rows.ts';
import type { RawRecord } from '../formats/read/csv/framing.ts';
import { invalid } from '../vocabulary/error.ts';
import { FIELDS } from './check-expectation.ts';

type Field = (typeof FIELDS)[number];

/** The value of a row, or why it has none. `line`: where it begins in the file; the first is 1. */
export type CsvRow = { line: number } & ({ value: object } | { problem: string });

/** Rows, and the number of blank lines among them. */
export interface CsvRows {
  rows: CsvRow[];
  blank: number;
}

/** Yields the rows after the header in batches, and to the event loop when a time slice is over. Throws VALIDATION_ERROR, UNKNOWN_COLUMN and DUPLICATE_COLUMN. */
export async function* readCsvBody(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRows> {
  let columns: Field[] | undefined;
  for await (const { records, blank } of framedRows(chunks, headerDelimiter)) {
    if (!columns && records.length > 0) columns = readHeader(records.shift());
    const known = columns ?? [];
    yield { rows: records.map((row) => readRow(row, known)), blank };
  }
  if (!columns) throw invalid('body', `is empty; begin it with the header ${FIELDS.join(',')}`);
}

function readHeader(header: RawRecord | undefined): Field[] {
  if (!header || header.problem !== undefined) throw invalid('header', header?.problem ?? 'is required');
  const columns = header.cells.map((cell) => {
    const name = cell.toLowerCase();
    const field = FIELDS.find((known) => known === name);
    if (field) return field;
    const shown = JSON.stringify(cell.slice(0, 100));
    throw invalid('header', `${shown} is not a known column; the columns are ${FIELDS.join(', ')}`, 'UNKNOWN_COLUMN');
  });
  const repeated = columns.find((field, at) => columns.indexOf(field) < at);
  if (repeated) throw invalid('header', `${repeated} is the name of two columns; keep one`, 'DUPLICATE_COLUMN');
  const absent = (['url', 'status_code'] as const).find((field) => !columns.includes(field));
  if (absent) throw invalid('header', `the column ${absent} is required`);
  return columns;
}

/** An empty cell is an absent field. */
function readRow({ line, cells, problem }: RawRecord, columns: Field[]): CsvRow {
  if (problem !== undefined) return { line, problem };
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== '')) {
    return { line, problem: `the row has ${cells.length} cells, and the header ${columns.length}` };
  }
  const value: Partial<Record<Field, string | number>> = {};
  columns.forEach((field, at) => {
    const cell = cells[at] ?? '';
    if (cell !== '') value[field] = field === 'status_code' && /^\d{3}$/.test(cell) ? Number(cell) : cell;
  });
  return { line, value };
}
