import { invalid } from '../../vocabulary/error.ts';
import { normalHeader } from './column-role.ts';
import { chooseDelimiter } from './delimiter.ts';
import { sniffEncoding } from './encoding.ts';
import { formatOf, looksLikeSource, shapeOf } from './formats.ts';
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
} from './header.ts';
import type { CsvColumn, CsvLayout, CsvOptions } from './layout.ts';
import { isComment, sampleRecords } from './records.ts';

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
  const shape = shapeOf(first.cells);
  if (!shape) throw unknownColumns(first.cells);
  assertMappingUsed(mapping, []);
  const columns = withExtraColumns(shape.columns, first.cells, options.ignoreUnknown);
  return { ...base, format: shape.name, headerLine: undefined, columns };
}

/** No header looks like a path or an address, so a row with such a cell is data even if another cell is `active`. */
function isHeader(cells: readonly string[], mapping: Mapping): boolean {
  if (cells.some((cell) => mapping.has(normalHeader(cell)))) return true;
  return !cells.some(looksLikeSource) && countKnown(cells, mapping) > 0;
}

/** Lines with `#` are comments only above the header of a tool that writes them. */
function firstRow(records: readonly RawRecord[]): { first: RawRecord | undefined; comments: boolean } {
  const plain = records.find((record) => record.problem !== undefined || !isComment(record.cells));
  const top = records[0];
  if (plain === top || !plain || plain.problem !== undefined) return { first: top, comments: false };
  const comments = formatOf(plain.cells.map(normalHeader))?.name === 'akamai';
  return { first: comments ? plain : top, comments };
}

const SERVER_DIRECTIVE = /^(Redirect(Match|Permanent|Temp)?|RewriteRule|rewrite|location|return|map)\s+\S/;

/** Throws if the file is a server configuration or a `_redirects` file. */
function assertCsv(records: readonly RawRecord[]): void {
  const [first = '', ...others] = records.find(({ cells }) => !isComment(cells))?.cells ?? [];
  const isNetlify = others.every((cell) => cell === '') && /^\/\S*\s+(\/|https?:\/\/|\S+=\S+\s)/.test(first);
  const isServer = SERVER_DIRECTIVE.test(first);
  if (!isNetlify && !isServer) return;
  const content = isNetlify ? 'columns separated by spaces, as in _redirects files' : 'a server configuration';
  throw invalid('file', `the file is not CSV but ${content}; write old_path,new_path,status_code`);
}

/** Columns beyond those with a role by position are unknown, as headers can be. */
function withExtraColumns(columns: CsvColumn[], cells: readonly string[], ignoreUnknown: boolean): CsvColumn[] {
  const extra = cells.slice(columns.length);
  if (extra.every((cell) => cell === '')) return columns;
  if (!ignoreUnknown) throw unknownColumns(extra);
  const start = columns.length + 1;
  return [...columns, ...extra.map((_, at) => ({ header: `column ${start + at}`, role: 'ignored' as const }))];
}
