/** Finds the form of a list by the beginning of its text. */
import { invalid } from '../../../vocabulary/error.ts';
import { createFramer, type RawRecord } from '../csv/framing.ts';
import { type Delimiter, DELIMITERS } from '../csv/tokenize.ts';
import { missingColumn, urlColumns } from './csv-columns.ts';
import { type CsvList, readCsvList } from './csv-list.ts';
import { readJsonList, readNdjsonList } from './json-list.ts';
import { readSitemap } from './sitemap.ts';
import { readTextList } from './text-list.ts';
import { hasGzipMagic } from './unpack.ts';
import type { UrlBatch } from './url-row.ts';

type ReadList = (chunks: AsyncGenerator<Buffer>) => AsyncGenerator<UrlBatch>;

const JSON_TEXT = /^"[^"\r\n]*"[ \t]*(?:[\r\n]|$)/;
const SAMPLE_ROWS = 50;
/** Some tools write a title or notes above the header row. */
const MAX_TITLE_ROWS = 10;

/** Throws if the bytes are those of an archive. */
export function assertNoArchive(start: Buffer): void {
  const isZip = start.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'));
  if (isZip) throw invalid('body', 'it is a ZIP archive or an Excel file; send the CSV or the list itself');
  if (hasGzipMagic(start)) throw invalid('body', 'it is packed with gzip twice; pack it once');
}

/**
 * Returns the reader of a list that begins with this text. `isWhole`: the text does not continue. Throws MISSING_COLUMN
 * for CSV without a known header of the URLs.
 */
export function recognizeList(text: string, isWhole: boolean): ReadList {
  const start = text.trimStart();
  if (start.startsWith('<')) return (chunks) => readSitemap(chunks, start);
  if (start.startsWith('[')) return readJsonList;
  if (start.startsWith('{')) return /^\{\s*(?:"urls"\s*:|\}|\n|\r)/.test(start) ? readJsonList : readNdjsonList;
  const lineEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  const csv = recognizeCsv(isWhole ? text : text.slice(0, lineEnd + 1));
  if (csv) return (chunks) => readCsvList(chunks, csv);
  return JSON_TEXT.test(start) ? readNdjsonList : readTextList;
}

/** Undefined for a plain list. */
function recognizeCsv(text: string): CsvList | undefined {
  const samples = DELIMITERS.map((delimiter) => ({ delimiter, records: sample(text, delimiter) }));
  const lists = samples.flatMap(({ delimiter, records }) => headerOf(delimiter, records) ?? []);
  lists.sort((a, b) => b.columns.known - a.columns.known);
  if (lists[0]) return lists[0];
  for (const { records } of samples) assertPlain(records);
  return undefined;
}

function sample(text: string, delimiter: Delimiter): RawRecord[] {
  const framer = createFramer(delimiter);
  framer.push({ text, damaged: false }, true);
  const rows = framer.take(SAMPLE_ROWS);
  return (rows?.records ?? []).filter(({ problem }) => problem === undefined);
}

function headerOf(delimiter: Delimiter, records: RawRecord[]): CsvList | undefined {
  for (const [nth, { line, cells }] of records.slice(0, MAX_TITLE_ROWS).entries()) {
    const columns = urlColumns(cells);
    // Below other lines, a single word is an address of a plain list.
    if (columns && (nth === 0 || cells.length > 1)) {
      if (!hasStatuses(records.slice(nth + 1), columns.at.status)) delete columns.at.status;
      return { delimiter, columns, headerLine: line };
    }
    if (!isTitle(cells)) return undefined;
  }
  return undefined;
}

/** A column named `status` may have words, such as those of an editor. Its first value decides. */
function hasStatuses(records: RawRecord[], at: number | undefined): boolean {
  const first = records.map(({ cells }) => cells[at ?? -1] ?? '').find((cell) => cell !== '' && cell !== '-');
  return first === undefined || /^\d/.test(first);
}

const looksLikeAddress = (cell: string): boolean => /^(?:\/|https?:\/\/)/i.test(cell);

function isTitle(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells;
  return first.startsWith('#') || (!looksLikeAddress(first) && others.every((cell) => cell === ''));
}

/** Throws if the rows have several columns. A `,` may also be a part of addresses. */
function assertPlain(records: RawRecord[]): void {
  const [first, ...others] = records.filter(({ cells }) => cells[0]?.startsWith('#') !== true);
  const width = first?.cells.length ?? 1;
  if (!first || width < 2 || others.some(({ cells }) => cells.length !== width)) return;
  const [address = '', ...rest] = first.cells;
  const hasValues = rest.some((cell) => cell === '' || /^\d+$|\s/.test(cell));
  if (!looksLikeAddress(address) || hasValues) throw missingColumn(first.cells);
}
