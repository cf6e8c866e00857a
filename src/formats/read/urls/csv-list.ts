import { readBoolean } from '../../rows/cells.ts';
import { framedRows } from '../csv/framed-rows.ts';
import type { RawRecord } from '../csv/framing.ts';
import type { Delimiter } from '../csv/tokenize.ts';
import type { UrlColumns } from './csv-columns.ts';
import { addInvalid, addRow, makeRow, newBatch } from './make-row.ts';
import type { UrlBatch } from './url-row.ts';

/** How a CSV file is read. */
export interface CsvList {
  delimiter: Delimiter;
  columns: UrlColumns;
  headerLine: number;
}

/** Yields the rows of a CSV file. Unknown columns are ignored: the exports of tools have dozens. */
export async function* readCsvList(chunks: AsyncIterable<Buffer>, list: CsvList): AsyncGenerator<UrlBatch> {
  for await (const { records } of framedRows(chunks, () => list.delimiter)) {
    const batch = newBatch();
    for (const record of records) if (record.line > list.headerLine) addRecord(batch, record, list.columns);
    yield batch;
  }
}

function addRecord(batch: UrlBatch, { line, cells, problem, text = '' }: RawRecord, columns: UrlColumns): void {
  if (problem !== undefined) return addInvalid(batch, line, text, 'MALFORMED_ROW');
  // A delimiter in a cell without quotes moves the cells after it.
  if (cells.slice(columns.width).some((cell) => cell !== ''))
    return addInvalid(batch, line, cells.join(' '), 'MALFORMED_ROW');
  if (cells.every((cell) => cell === '')) return;
  const cell: CellOf = (role) => cellOf(cells, columns.at[role]);
  const [clicks, links, status] = [readCount(cell('clicks')), readCount(cell('links')), readStatus(cell('status'))];
  if (clicks === 'wrong') return addInvalid(batch, line, cell('clicks'), 'INVALID_PARAMETER');
  if (links === 'wrong') return addInvalid(batch, line, cell('links'), 'INVALID_PARAMETER');
  if (status === 'wrong') return addInvalid(batch, line, cell('status'), 'INVALID_STATUS_CODE');
  const noindex = readBoolean(cell('noindex'), 'noindex', 'noindex');
  if (typeof noindex === 'object') return addInvalid(batch, line, cell('noindex'), noindex.code);
  const texts = { title: cell('title'), description: cell('description'), headline: cell('headline') };
  const facts = {
    status,
    noindex: noindex === true || isExcluded(cell),
    canonical: cell('canonical'),
    state: cell('state'),
  };
  const { isBacklink } = columns;
  addRow(batch, makeRow(line, cell('url'), { ...texts, ...facts, clicks, links, isBacklink }));
}

type CellOf = (role: keyof UrlColumns['at']) => string;

/** Tools write `-` for a value that they do not have. */
function cellOf(cells: readonly string[], at: number | undefined): string {
  const cell = at === undefined ? '' : (cells[at] ?? '');
  return cell === '-' ? '' : cell;
}

/** True if the directives or the verdict of the tool exclude the page for another reason than its status. */
function isExcluded(cell: CellOf): boolean {
  if (/\b(noindex|none)\b/i.test(`${cell('robots')} ${cell('header')}`)) return true;
  if (cell('reason') !== '') return /noindex|canonicali[sz]ed/i.test(cell('reason'));
  return /^(non-?indexable|not indexable|no|false)$/i.test(cell('indexable'));
}

const PLAIN = /^\d{1,15}(?:\.0+)?$/;
/** Groups of three, in the form of any language. */
const GROUPED = /^\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3}){1,4}$/;

function readCount(cell: string): number | undefined | 'wrong' {
  if (cell === '') return undefined;
  if (GROUPED.test(cell)) return Number(cell.replace(/\D/g, ''));
  return PLAIN.test(cell) ? Number(cell) : 'wrong';
}

/** Reads `404`, and `404 Not Found` of some tools. */
function readStatus(cell: string): number | undefined | 'wrong' {
  if (cell === '') return undefined;
  const [, digits] = /^(\d{1,3})(?:\.0)?(?:\s.*)?$/.exec(cell) ?? [];
  return digits === undefined ? 'wrong' : Number(digits);
}
