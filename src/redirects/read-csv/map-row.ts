// One row of cells becomes one row in our words, or the reason why it cannot. Written for a million rows: columns are
// looked up once per file, and what a file does not have costs a row nothing.
import {
  isProblem,
  type Problem,
  problem,
  readBoolean,
  readState,
  readStatusCode,
  readWebsiteId,
} from './cells.ts';
import {
  cellOf,
  columnsWith,
  columnWith,
  type CsvLayout,
  type CsvOptions,
  type CsvRow,
  type CsvRowError,
  type NoticeCode,
} from './row.ts';
import { conditionChecks } from './conditions.ts';
import type { RawRecord } from './framing.ts';
import { createRuleReader, type Rule } from './rule.ts';

/** Counts what is read and not kept; `column` is a header of the file or our field. */
export type Count = (code: NoticeCode, column: string) => void;

export type RowMapper = (record: RawRecord) => CsvRow | CsvRowError | undefined;

/** The mapper of one file's rows; it answers undefined for a row all of whose cells are empty. */
export function createRowMapper(layout: CsvLayout, options: CsvOptions, count: Count): RowMapper {
  const readRule = createRuleReader(layout, options);
  const readStatus = statusReader(layout);
  const readEnabled = enabledReader(layout);
  const checks = conditionChecks(layout, options);
  const countUnkept = unkeptCounter(layout, count);
  const oldPath = columnWith(layout.columns, 'old_path');
  const oldParts = columnWith(layout.columns, 'old_path_parts');
  const groupId = columnWith(layout.columns, 'group_id');
  const notes = columnWith(layout.columns, 'notes');
  const environments = columnWith(layout.columns, 'target_environments');
  const websiteId = columnWith(layout.columns, 'website_id');

  function read({ line, cells, problem: unreadable }: RawRecord): CsvRow | Problem {
    if (unreadable !== undefined) return problem('row', 'MALFORMED_ROW', unreadable);
    if (cells.length > layout.columns.length) {
      const surplus = checkSurplus(cells, layout.columns.length);
      if (surplus) return surplus;
    }
    for (const check of checks) {
      const found = check(cells);
      if (found) return found;
    }
    const rule = readRule(cells);
    if (isProblem(rule)) return rule;
    const statusCode = readStatus(cells);
    if (isProblem(statusCode)) return statusCode;
    const enabled = readEnabled(cells);
    if (isProblem(enabled)) return enabled;
    const website = readWebsiteId(cellOf(cells, websiteId) ?? '');
    if (isProblem(website)) return website;
    if (website !== undefined && options.websiteId !== null && website !== options.websiteId) {
      const message = `website_id is ${website}, but the import is into website ${options.websiteId}`;
      return problem('website_id', 'WEBSITE_MISMATCH', message);
    }
    countUnkept(cells, rule, enabled);
    return {
      line,
      oldPath: rule.oldPath,
      newPath: rule.newPath,
      statusCode,
      isRegex: rule.isRegex,
      groupId: emptyIsNull(cellOf(cells, groupId)),
      notes: emptyIsNull(cellOf(cells, notes)),
      environments: cellOf(cells, environments),
      draft: enabled === false,
      websiteId: website,
    };
  }

  return (record) => {
    if (record.problem === undefined && isEmpty(record.cells)) {
      count('EMPTY_ROWS', 'row');
      return undefined;
    }
    const row = read(record);
    if (!isProblem(row)) return row;
    const { column, code, message } = row;
    const source = cellOf(record.cells, oldPath) || cellOf(record.cells, oldParts);
    return { line: record.line, column, code, message, oldPath: source ?? null };
  };
}

function isEmpty(cells: readonly string[]): boolean {
  return cells[0] === '' && cells.every((cell) => cell === '');
}

function emptyIsNull(cell: string | undefined): string | null | undefined {
  return cell === '' ? null : cell;
}

/** Delimiters at the end of a row say nothing; cells that no column has would be lost. */
function checkSurplus(cells: readonly string[], width: number): Problem | undefined {
  if (cells.every((cell, at) => at < width || cell === '')) return undefined;
  const message = `the row has ${cells.length} cells and the file ${width} columns; put a cell with a delimiter in quotes`;
  return problem('row', 'MALFORMED_ROW', message);
}

type Reader<Value> = (cells: readonly string[]) => Value | undefined | Problem;

function statusReader({ columns }: CsvLayout): Reader<number> {
  const status = columnWith(columns, 'status_code');
  const permanent = columnWith(columns, 'permanent');
  if (!permanent) return (cells) => readStatusCode(cellOf(cells, status) ?? '');
  return (cells) => {
    const code = readStatusCode(cellOf(cells, status) ?? '');
    const forever = readBoolean(cellOf(cells, permanent) ?? '', 'status_code', permanent.header);
    if (isProblem(code) || isProblem(forever) || forever === undefined)
      return isProblem(forever) ? forever : code;
    if (code === undefined) return forever ? 308 : 307;
    if (forever === (code === 301 || code === 308)) return code;
    const message = `the row says ${code} and ${permanent.header} ${String(forever)}; clear one of them`;
    return problem('status_code', 'INVALID_STATUS_CODE', message);
  };
}

function enabledReader({ columns }: CsvLayout): Reader<boolean> {
  const state = columnWith(columns, 'state');
  if (state) return (cells) => readState(cellOf(cells, state) ?? '', state.header);
  const disabled = columnWith(columns, 'disabled');
  const column = disabled ?? columnWith(columns, 'enabled');
  if (!column) return () => undefined;
  return (cells) => {
    const said = readBoolean(cellOf(cells, column) ?? '', 'target_environments', column.header);
    return typeof said === 'boolean' && disabled ? !said : said;
  };
}

function unkeptCounter({ columns }: CsvLayout, count: Count) {
  const ignored = columnsWith(columns, 'ignored');
  const optional = columnsWith(columns, 'option');
  return (cells: readonly string[], { source, converted }: Rule, enabled: boolean | undefined): void => {
    if (source.hostRemoved) count('HOST_REMOVED', 'old_path');
    if (source.slashAdded) count('SLASH_ADDED', 'old_path');
    if (converted) count('CONVERTED_TO_PATTERN', 'old_path');
    if (enabled === false) count('DISABLED_AS_DRAFT', 'target_environments');
    for (const column of ignored) if (cellOf(cells, column)) count('COLUMN_IGNORED', column.header);
    for (const column of optional) if (cellOf(cells, column)) count('WEBSITE_OPTION', column.header);
  };
}
