import { DomainError, invalid } from '../../vocabulary/error.ts';
import { meaningOf, normalHeader, fieldOf, MAPPABLE, type ColumnRole } from './column-role.ts';
import { isStateWord, looksLikeStatus, show } from './cells.ts';
import type { CsvColumn, CsvLayout, CsvOptions } from './row.ts';
import { chooseDelimiter, DELIMITERS } from './delimiter.ts';
import { sniffEncoding } from './encoding.ts';
import { formatOf, type FormatName, looksLikeSource, shapeOf } from './formats.ts';
import type { RawRecord } from './framing.ts';
import { isMatchWord } from './match-kind.ts';
import { isComment, readRecords, sampleRecords } from './records.ts';

const SAMPLE_ROWS = 50;
const NAMES_SHOWN = 10;

/**
 * Decides how a file is to be read: encoding, delimiter, header or positions, what each column means. Reads the start
 * of the file, and further only where a column named `type` or `status` is empty there. Throws UNKNOWN_COLUMN or
 * DUPLICATE_COLUMN naming the headers, or a validation error of `file` or `columns`.
 */
export async function planCsv(path: string, options: CsvOptions): Promise<CsvLayout> {
  const encoding = await sniffEncoding(path);
  const mapping = readMapping(options.columns);
  const samples = await sampleRecords(path, encoding, DELIMITERS, SAMPLE_ROWS);
  const delimiter = chooseDelimiter(samples, (cells) => countKnown(cells, mapping));
  const { first, comments } = firstRow(samples.get(delimiter) ?? []);
  if (!first) throw invalid('file', 'the file has no rows');
  if (first.problem !== undefined) throw invalid('file', `line ${first.line}: ${first.problem}`);
  const base = { encoding, delimiter, comments, notices: [] };
  if (isHeader(first.cells, mapping)) {
    const { format, columns } = headerColumns(first.cells, mapping, options.ignoreUnknown);
    const decided = await decideByContent(
      { ...base, format, headerLine: first.line, columns },
      path,
      options,
    );
    checkColumns(decided.columns);
    return decided;
  }
  refuseOtherLanguages(samples.get(delimiter) ?? []);
  const shape = shapeOf(first.cells);
  if (!shape) throw unknownColumns(first.cells);
  refuseUnusedMapping(mapping, []);
  return {
    ...base,
    format: shape.name,
    headerLine: undefined,
    columns: widen(shape.columns, first, options),
  };
}

type Mapping = ReadonlyMap<string, { header: string; meaning: ColumnRole }>;

function readMapping(columns: Record<string, string>): Mapping {
  const mapping = new Map<string, { header: string; meaning: ColumnRole }>();
  for (const [header, field] of Object.entries(columns)) {
    const meaning = field === '' ? 'ignored' : MAPPABLE.find((name) => name === field);
    if (meaning === undefined) {
      throw invalid(
        'columns',
        `${show(header)} is mapped to ${show(field)}; map it to '' or one of ${MAPPABLE.join(', ')}`,
      );
    }
    mapping.set(normalHeader(header), { header, meaning });
  }
  return mapping;
}

function refuseUnusedMapping(mapping: Mapping, headers: readonly string[]): void {
  for (const [name, { header }] of mapping) {
    if (!headers.includes(name)) throw invalid('columns', `${show(header)} is not a header of the file`);
  }
}

function countKnown(cells: readonly string[], mapping: Mapping): number {
  return cells.filter((cell) => mapping.has(normalHeader(cell)) || meaningOf(cell) !== undefined).length;
}

/** No header looks like a path or an address, so a row with such a cell is data even if another cell is `active`. */
function isHeader(cells: readonly string[], mapping: Mapping): boolean {
  if (cells.some((cell) => mapping.has(normalHeader(cell)))) return true;
  return !cells.some(looksLikeSource) && countKnown(cells, mapping) > 0;
}

/** Lines with `#` count as comments only above the header of a tool that writes them. */
function firstRow(records: readonly RawRecord[]): { first: RawRecord | undefined; comments: boolean } {
  const plain = records.find((record) => record.problem !== undefined || !isComment(record.cells));
  const top = records[0];
  if (plain === top || !plain || plain.problem !== undefined) return { first: top, comments: false };
  const comments = formatOf(plain.cells.map(normalHeader))?.name === 'akamai';
  return { first: comments ? plain : top, comments };
}

function refuseOtherLanguages(records: readonly RawRecord[]): void {
  const [first = '', ...others] = records.find(({ cells }) => !isComment(cells))?.cells ?? [];
  const netlify = others.every((cell) => cell === '') && /^\/\S*\s+(\/|https?:\/\/|\S+=\S+\s)/.test(first);
  const server = /^(Redirect(Match|Permanent|Temp)?|RewriteRule|rewrite|location|return|map)\s+\S/.test(
    first,
  );
  if (!netlify && !server) return;
  const kind = netlify ? 'columns divided by spaces, as in _redirects files' : 'a server configuration';
  throw invalid('file', `the file is not CSV but ${kind}; write old_path,new_path,status_code`);
}

function headerColumns(
  cells: readonly string[],
  mapping: Mapping,
  ignoreUnknown: boolean,
): { format: FormatName; columns: CsvColumn[] } {
  const names = cells.map(normalHeader);
  refuseUnusedMapping(mapping, names);
  const format = formatOf(names);
  const unknown: string[] = [];
  const columns = cells.map((header, at): CsvColumn => {
    const name = names[at] ?? '';
    const own = format && Object.hasOwn(format.meanings, name) ? format.meanings[name] : undefined;
    const meaning = mapping.get(name)?.meaning ?? own ?? meaningOf(header);
    if (meaning === undefined && header !== '') unknown.push(header);
    return { header: header === '' ? `column ${at + 1}` : header, meaning: meaning ?? 'ignored' };
  });
  if (unknown.length > 0 && !ignoreUnknown) throw unknownColumns(unknown);
  return { format: format?.name ?? 'plain', columns };
}

/** A `type` or `status` is what its first cell with content is: that is looked for, to the end of the file if need be. */
async function decideByContent(layout: CsvLayout, path: string, options: CsvOptions): Promise<CsvLayout> {
  const open = new Set(layout.columns.keys().filter((at) => isOpen(layout.columns[at])));
  const columns = [...layout.columns];
  if (open.size === 0) return layout;
  for await (const batch of readRecords(path, layout.encoding, layout.delimiter)) {
    for (const { line, cells } of batch) {
      if (line <= (layout.headerLine ?? 0) || (layout.comments && isComment(cells))) continue;
      for (const at of open) {
        const column = columns[at];
        const cell = cells[at] ?? '';
        if (!column || cell === '') continue;
        columns[at] = { header: column.header, meaning: decide(column, cell, options) };
        open.delete(at);
      }
    }
    if (open.size === 0) break;
  }
  return {
    ...layout,
    columns: columns.map((column) => (isOpen(column) ? { ...column, meaning: 'ignored' } : column)),
  };
}

function isOpen(column: CsvColumn | undefined): boolean {
  return column?.meaning === 'type' || column?.meaning === 'status';
}

function decide({ header, meaning }: CsvColumn, cell: string, options: CsvOptions): ColumnRole {
  if (looksLikeStatus(cell)) return 'status_code';
  if (meaning === 'status' && isStateWord(cell)) return 'state';
  if (meaning === 'type' && isMatchWord(cell)) return 'match';
  if (options.ignoreUnknown) return 'ignored';
  const remedy = `map the column ${show(header)} to a field or to ''`;
  throw new DomainError(
    'UNKNOWN_COLUMN',
    `the column ${show(header)} holds ${show(cell)}, which is no status`,
    {
      details: `${remedy} with the option columns`,
    },
  );
}

function checkColumns(columns: readonly CsvColumn[]): void {
  const taken = new Map<ColumnRole, string>();
  for (const { header, meaning } of columns) {
    const field = fieldOf(meaning);
    if (field === undefined) continue;
    const other = taken.get(field);
    if (other !== undefined) {
      throw new DomainError(
        'DUPLICATE_COLUMN',
        `${show(other)} and ${show(header)} both stand for ${field}`,
        {
          details: `map one of them to '' with the option columns`,
        },
      );
    }
    taken.set(field, header);
  }
  if (!taken.has('old_path') && !taken.has('old_path_parts')) {
    throw invalid('file', 'no column holds the source; name one old_path or map one to it');
  }
}

function unknownColumns(headers: readonly string[]): DomainError {
  const shown = headers.slice(0, NAMES_SHOWN).map(show).join(', ');
  const more = headers.length > NAMES_SHOWN ? ` and ${headers.length - NAMES_SHOWN} more` : '';
  const remedy = 'rename them, map them with the option columns, or import with ignore_unknown=true';
  return new DomainError('UNKNOWN_COLUMN', `not known as columns: ${shown}${more}`, { details: remedy });
}

/** Columns beyond those that have a meaning by their place are unknown, as headers can be. */
function widen(columns: readonly CsvColumn[], first: RawRecord, options: CsvOptions): readonly CsvColumn[] {
  const extra = first.cells.slice(columns.length);
  if (extra.every((cell) => cell === '')) return columns;
  if (!options.ignoreUnknown) throw unknownColumns(extra);
  const ignored = extra.map((_cell, at): CsvColumn => {
    return { header: `column ${columns.length + at + 1}`, meaning: 'ignored' };
  });
  return [...columns, ...ignored];
}
