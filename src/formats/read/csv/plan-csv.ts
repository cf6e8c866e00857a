import { invalid } from '../../../vocabulary/error.ts';
import { normalHeader } from './column-role.ts';
import { sniffEncoding } from '../../rows/encoding.ts';
import { formatOf, looksLikeSource, shapeOf } from './csv-formats.ts';
import type { RawRecord } from './framing.ts';
import {
  assertColumns,
  assertMappingUsed,
  countKnown,
  headerColumns,
  type Mapping,
  readMapping,
  resolveByContent,
  unknownColumns,
  unnamedColumn,
} from './header.ts';
import type { CsvColumn, CsvLayout, CsvOptions } from './layout.ts';
import { isComment, sampleRecords } from './records.ts';
import { type Delimiter, DELIMITERS } from './tokenize.ts';

/**
 * Decides how to read a file: encoding, delimiter, header or positions, the role of each column. Reads the start of the
 * file, and more only if a column named `type` or `status` is empty there. Throws UNKNOWN_COLUMN or DUPLICATE_COLUMN
 * with the headers, or a validation error of `file` or `columns`.
 */
export async function planCsv(path: string, options: CsvOptions): Promise<CsvLayout> {
  const encoding = await sniffEncoding(path);
  const mapping = readMapping(options.columns);
  const samples = await sampleRecords(path, encoding);
  const delimiter = chooseDelimiter(samples, (cells) => countKnown(cells, mapping));
  const records = samples.get(delimiter) ?? [];
  const { first, comments } = firstRow(records);
  if (!first) throw invalid('file', 'the file has no rows');
  if (first.problem !== undefined) throw invalid('file', `line ${first.line}: ${first.problem}`);
  const base = { path, options, encoding, delimiter, comments, notices: [] };
  if (isHeader(first.cells, mapping)) {
    const named = headerColumns(first.cells, mapping, options.ignoreUnknown);
    const layout = await resolveByContent({ ...base, headerLine: first.line, ...named });
    assertColumns(layout.columns);
    return layout;
  }
  assertCsv(records);
  const placed = placedColumns(first.cells, mapping, options.ignoreUnknown);
  assertColumns(placed.columns);
  return { ...base, headerLine: undefined, ...placed, comments: comments || placed.format === 'cloudflare' };
}

/**
 * Chooses the delimiter of a file. The criteria, most important first:
 * 1. how many cells of the first row are known headers (`countKnown`),
 * 2. how many rows have the same number of cells, two or more,
 * 3. how often the second cell looks like a target: a `,` inside paths splits rows as evenly as a `;` between them,
 * 4. the order of DELIMITERS.
 */
function chooseDelimiter(
  samples: ReadonlyMap<Delimiter, readonly RawRecord[]>,
  countKnown: (cells: readonly string[]) => number,
): Delimiter {
  const ranked = DELIMITERS.map((delimiter) => {
    const records = (samples.get(delimiter) ?? []).filter((record) => record.problem === undefined);
    const rows = records.filter((record) => !record.cells[0]?.startsWith('#'));
    const known = countKnown(rows[0]?.cells ?? []);
    return { delimiter, known, consistency: consistency(rows), targets: targetShare(rows) };
  });
  ranked.sort((a, b) => b.known - a.known || b.consistency - a.consistency || b.targets - a.targets);
  return ranked[0]?.delimiter ?? ',';
}

/** The share of rows with the most frequent number of cells; 0 if that number is one. */
function consistency(rows: readonly RawRecord[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let [width, frequency] = [0, 0];
  for (const [cells, count] of counts) if (count > frequency) [width, frequency] = [cells, count];
  return width < 2 ? 0 : frequency / rows.length;
}

function targetShare(rows: readonly RawRecord[]): number {
  const found = rows.filter(({ cells }) => /^(\/|https?:\/\/)/i.test(cells[1] ?? ''));
  return rows.length === 0 ? 0 : found.length / rows.length;
}

/** No header looks like a path or an address, so a row with such a cell is data even if another cell is `active`. */
function isHeader(cells: readonly string[], mapping: Mapping): boolean {
  if (cells.some((cell) => mapping.has(normalHeader(cell)))) return true;
  return !cells.some(looksLikeSource) && countKnown(cells, mapping) > 0;
}

/** Lines with `#` are comments above the header of Akamai, and in our own exports for Cloudflare. */
function firstRow(records: readonly RawRecord[]): { first: RawRecord | undefined; comments: boolean } {
  const plain = records.find((record) => record.problem !== undefined || !isComment(record.cells));
  const top = records[0];
  if (plain === top || !plain || plain.problem !== undefined) return { first: top, comments: false };
  const comments =
    formatOf(plain.cells.map(normalHeader))?.name === 'akamai' || shapeOf(plain.cells)?.name === 'cloudflare';
  return { first: comments ? plain : top, comments };
}

const SERVER_DIRECTIVE = /^(Redirect(Match|Permanent|Temp)?|RewriteRule|rewrite|location|return|map)\s+\S/;

function assertCsv(records: readonly RawRecord[]): void {
  const [first = '', ...others] = records.find(({ cells }) => !isComment(cells))?.cells ?? [];
  const isNetlify = others.every((cell) => cell === '') && /^\/\S*\s+(\/|https?:\/\/|\S+=\S+\s)/.test(first);
  const isServer = SERVER_DIRECTIVE.test(first);
  if (!isNetlify && !isServer) return;
  const content = isNetlify ? 'columns separated by spaces, as in _redirects files' : 'a server configuration';
  throw invalid('file', `the file is not CSV but ${content}; write old_path,new_path,status_code`);
}

/**
 * The columns of a file without a header row. The option `columns` decides first, by `column 1`, `column 2` and so on
 * or by the tool's name of the column, then the tool's order. Others are unknown, as headers can be.
 */
function placedColumns(cells: readonly string[], mapping: Mapping, ignoreUnknown: boolean) {
  const shape = shapeOf(cells);
  if (!shape && mapping.size === 0) throw unknownColumns(cells);
  const known: readonly CsvColumn[] = shape?.columns ?? [];
  const names = Array.from({ length: Math.max(known.length, cells.length) }, (_, at) => [
    normalHeader(known[at]?.header ?? ''),
    normalHeader(unnamedColumn(at)),
  ]);
  assertMappingUsed(mapping, names.flat());
  const unknown: string[] = [];
  const columns = names.map(([name = '', place = ''], at): CsvColumn => {
    const role = mapping.get(place)?.role ?? mapping.get(name)?.role ?? known[at]?.role;
    const cell = cells[at] ?? '';
    if (role === undefined && cell !== '') unknown.push(`${unnamedColumn(at)} (${cell})`);
    return { header: known[at]?.header ?? unnamedColumn(at), role: role ?? 'ignored' };
  });
  if (unknown.length > 0 && !ignoreUnknown) throw unknownColumns(unknown);
  return { format: shape?.name ?? ('plain' as const), columns };
}
