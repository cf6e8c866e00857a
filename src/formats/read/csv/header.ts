/** The roles of columns by the header row, the option `columns`, and the content of columns with ambiguous names. */
import { DomainError, invalid } from '../../../vocabulary/error.ts';
import { isStateWord, looksLikeStatus, show } from '../../rows/cells.ts';
import { type ColumnRole, fieldOf, MAPPABLE, normalHeader, roleOf } from './column-role.ts';
import { formatOf } from './csv-formats.ts';
import type { CsvColumn, CsvLayout, CsvOptions } from './layout.ts';
import { isMatchWord } from '../../rows/match-kind.ts';
import { isComment, readRecords } from './records.ts';

const MAX_SHOWN_NAMES = 10;

/** The option `columns` by normal header. */
export type Mapping = ReadonlyMap<string, CsvColumn>;

export function readMapping(columns: Record<string, string>): Mapping {
  const mapping = new Map<string, CsvColumn>();
  for (const [header, field] of Object.entries(columns)) {
    const role = field === '' ? 'ignored' : MAPPABLE.find((name) => name === field);
    if (role === undefined) {
      const message = `${show(header)} is mapped to ${show(field)}; map it to '' or one of ${MAPPABLE.join(', ')}`;
      throw invalid('columns', message);
    }
    mapping.set(normalHeader(header), { header, role });
  }
  return mapping;
}

/** Throws if the option maps a header that the file does not have. */
export function assertMappingUsed(mapping: Mapping, headers: readonly string[]): void {
  for (const [name, { header }] of mapping) {
    if (!headers.includes(name)) throw invalid('columns', `${show(header)} is not a column of the file`);
  }
}

export function countKnown(cells: readonly string[], mapping: Mapping): number {
  return cells.filter((cell) => mapping.has(normalHeader(cell)) || roleOf(cell) !== undefined).length;
}

/** The columns that the list of an import's errors adds to those of the file. */
export const REPORT_COLUMNS = ['line', 'column', 'code', 'message'] as const;

/**
 * Returns the positions of these columns: none unless the file has all four. `code` may also be a column of the original
 * file; the one beside the others is ours.
 */
function reportColumns(cells: readonly string[]): Set<number> {
  const names = cells.map(normalHeader);
  const block = names.findIndex((_, at) => REPORT_COLUMNS.every((name, nth) => names[at + nth] === name));
  if (block >= 0) return new Set(REPORT_COLUMNS.map((_, nth) => block + nth));
  const others = new Set<number>(REPORT_COLUMNS.filter((name) => name !== 'code').map((name) => names.indexOf(name)));
  const codes = [...names.keys()].filter((at) => names[at] === 'code');
  const code = codes.find((at) => others.has(at - 1) || others.has(at + 1)) ?? codes[0];
  return others.has(-1) || code === undefined ? new Set() : others.add(code);
}

export const unnamedColumn = (at: number): string => `column ${at + 1}`;

/** The option `columns` decides first, then the format that the headers show together, then the name alone. */
export function headerColumns(cells: readonly string[], mapping: Mapping, ignoreUnknown: boolean) {
  const report = reportColumns(cells);
  const names = cells.map((header, at) => (report.has(at) ? '' : normalHeader(header)));
  assertMappingUsed(mapping, names);
  const format = formatOf(names);
  const unknown: string[] = [];
  const columns = cells.map((header, at): CsvColumn => {
    const name = names[at] ?? '';
    if (report.has(at)) return { header, role: 'report' };
    const role = mapping.get(name)?.role ?? format?.roles.get(name) ?? roleOf(header);
    // The list of errors names the columns of a file without headers.
    const isNamed = header !== '' && !(report.size > 0 && /^column \d+$/.test(header));
    if (role === undefined && isNamed) unknown.push(header);
    return { header: header === '' ? unnamedColumn(at) : header, role: role ?? 'ignored' };
  });
  if (unknown.length > 0 && !ignoreUnknown) throw unknownColumns(unknown);
  return { format: format?.name ?? ('plain' as const), columns };
}

/** Decides each `type` or `status` by its first cell with content, reading to the end of the file if necessary. */
export async function resolveByContent(layout: CsvLayout): Promise<CsvLayout> {
  const columns = [...layout.columns];
  const open = new Set(columns.keys().filter((at) => isOpen(columns[at])));
  if (open.size === 0) return layout;
  for await (const batch of readRecords(layout)) {
    for (const { line, cells } of batch) {
      if (line <= (layout.headerLine ?? 0) || (layout.comments && isComment(cells))) continue;
      for (const at of open) {
        const column = columns[at];
        const cell = cells[at] ?? '';
        if (!column || cell === '') continue;
        columns[at] = { header: column.header, role: roleByContent(column, cell, layout.options) };
        open.delete(at);
      }
    }
    if (open.size === 0) break;
  }
  const resolved = columns.map((column) => (isOpen(column) ? { ...column, role: 'ignored' as const } : column));
  return { ...layout, columns: resolved };
}

function isOpen(column: CsvColumn | undefined): boolean {
  return column?.role === 'type' || column?.role === 'status';
}

function roleByContent({ header, role }: CsvColumn, cell: string, options: CsvOptions): ColumnRole {
  if (looksLikeStatus(cell)) return 'status_code';
  if (role === 'status' && isStateWord(cell)) return 'state';
  if (role === 'type' && isMatchWord(cell)) return 'match';
  if (options.ignoreUnknown) return 'ignored';
  const message = `the column ${show(header)} contains ${show(cell)}, which is not a status`;
  const details = `map the column ${show(header)} to a field or to '' with the option columns`;
  throw new DomainError('UNKNOWN_COLUMN', message, { details });
}

/** Throws if two columns fill one field, or none holds the source. */
export function assertColumns(columns: readonly CsvColumn[]): void {
  const headerByField = new Map<ColumnRole, string>();
  for (const { header, role } of columns) {
    const field = fieldOf(role);
    if (field === undefined) continue;
    const other = headerByField.get(field);
    if (other !== undefined) {
      const details = `map one of them to '' with the option columns`;
      throw new DomainError('DUPLICATE_COLUMN', `${show(other)} and ${show(header)} both fill ${field}`, {
        details,
      });
    }
    headerByField.set(field, header);
  }
  if (!headerByField.has('old_path') && !headerByField.has('old_path_parts')) {
    throw invalid('file', 'no column has the source; name one old_path or map one to it');
  }
}

export function unknownColumns(headers: readonly string[]): DomainError {
  const shown = headers.slice(0, MAX_SHOWN_NAMES).map(show).join(', ');
  const more = headers.length > MAX_SHOWN_NAMES ? ` and ${headers.length - MAX_SHOWN_NAMES} more` : '';
  const remedy = 'rename them, map them with the option columns, or import with ignore_unknown=true';
  return new DomainError('UNKNOWN_COLUMN', `unknown columns: ${shown}${more}`, { details: remedy });
}
