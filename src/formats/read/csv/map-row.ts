/** Maps cells to fields. For speed, columns are looked up once per file, and absent ones cost a row nothing. */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { type RowError, rowError } from '../../../rules/entry.ts';
import type { NoticeCode } from '../../../vocabulary/import/issue.ts';
import { readMoment } from '../../../rules/schedule.ts';
import { issue, readBoolean, readState, readStatusCode, readWebsiteId, show, unsupported } from '../../rows/cells.ts';
import { conditionChecks } from './conditions.ts';
import { MAX_TEXT_KEPT, type RawRecord } from './framing.ts';
import { cellOf, columnsWith, columnWith, type CsvLayout, isOwnExport } from './layout.ts';
import { createRuleReader, type CsvRule } from './read-rule.ts';
import type { RowNotices } from '../../rows/notices.ts';
import type { FileRow } from '../../rows/row.ts';
import { createToolReader } from './tool-rows.ts';
import { withAnySlash } from './tools/hubspot.ts';
import type { RowOptions } from './tools/tool-cells.ts';
import { optionCounter, type ReadRow } from './website-options.ts';

/** Returns undefined for a row of empty cells. */
type RowMapper = (record: RawRecord) => FileRow | RowError | undefined;

const PLAIN_ROLES = ['old_path', 'old_path_parts', 'group_id', 'notes', 'target_environments'] as const;

export function createRowMapper(layout: CsvLayout, notices: RowNotices): RowMapper {
  const readTool = createToolReader(layout);
  const readRule = ruleReader(layout);
  const readStatus = statusReader(layout);
  const readEnabled = enabledReader(layout);
  const readWebsite = websiteReader(layout);
  const readWindow = windowReader(layout);
  const checks = conditionChecks(layout);
  const countNotices = noticeCounter(layout, notices);
  const [oldPath, oldParts, groupId, notes, environments] = PLAIN_ROLES.map((role) => columnWith(layout.columns, role));
  // Akamai writes a space as `\ `.
  const readNotes = (cell: string | undefined) => (layout.format === 'akamai' ? cell?.replace(/\\ /g, ' ') : cell);
  const isExport = isOwnExport(layout.columns);

  function read({ line, cells: written, problem, text }: RawRecord): FileRow | Issue {
    if (problem !== undefined) return malformed(problem, text);
    const surplus = checkSurplus(written, layout.columns.length);
    if (surplus) return surplus;
    const ofTool = readTool?.(written);
    if (isIssue(ofTool)) return ofTool;
    const { cells, options } = ofTool ?? { cells: written };
    for (const check of checks) {
      const failed = check(cells);
      if (failed) return failed;
    }
    const rule = readRule(cells, options);
    if (isIssue(rule)) return rule;
    const statusCode = readStatus(cells);
    if (isIssue(statusCode)) return statusCode;
    const enabled = readEnabled(cells);
    if (isIssue(enabled)) return enabled;
    const websiteId = readWebsite(cells);
    if (isIssue(websiteId)) return websiteId;
    const window = readWindow(cells);
    if (isIssue(window)) return window;
    countNotices({ line, cells, rule, options }, enabled);
    const names = cellOf(cells, environments);
    return {
      line,
      oldPath: rule.oldPath,
      newPath: rule.newPath,
      statusCode,
      isRegex: rule.isRegex,
      groupId: emptyIsNull(cellOf(cells, groupId)),
      notes: emptyIsNull(readNotes(cellOf(cells, notes))),
      // In our own exports an empty cell is a draft. In other files it says nothing.
      environments: names === '' && !isExport ? undefined : names,
      ...window,
      draft: enabled === false,
      websiteId,
    };
  }

  return (record) => {
    if (record.problem === undefined && isEmpty(record.cells)) {
      notices.count('EMPTY_ROWS', 'row', record.line);
      return undefined;
    }
    const row = read(record);
    if (!isIssue(row)) return row;
    const source = cellOf(record.cells, oldPath) || cellOf(record.cells, oldParts);
    return rowError(record.line, source ?? null, row);
  };
}

function ruleReader(layout: CsvLayout) {
  const read = createRuleReader(layout);
  return (cells: readonly string[], options: RowOptions | undefined): CsvRule | Issue => {
    const rule = read(cells);
    return isIssue(rule) || options?.trailingSlash !== 'ignore' ? rule : withAnySlash(rule);
  };
}

function isEmpty(cells: readonly string[]): boolean {
  return cells[0] === '' && cells.every((cell) => cell === '');
}

function emptyIsNull(cell: string | undefined): string | null | undefined {
  return cell === '' ? null : cell;
}

/** Quotes the row unless it is too large or not text. */
function malformed(problem: string, text = ''): Issue {
  const isShown = text.length < MAX_TEXT_KEPT && text.isWellFormed();
  return issue('row', 'MALFORMED_ROW', isShown ? `${problem}: ${show(text)}` : problem);
}

/** Trailing delimiters are harmless; a cell with content beyond the columns would be lost. */
function checkSurplus(cells: readonly string[], width: number): Issue | undefined {
  if (cells.length <= width || cells.every((cell, at) => at < width || cell === '')) return undefined;
  const message = `the row has ${cells.length} cells and the file ${width} columns; put a cell with a delimiter in quotes`;
  return issue('row', 'MALFORMED_ROW', message);
}

type Reader<Value> = (cells: readonly string[]) => Value | undefined | Issue;

function statusReader({ columns, format }: CsvLayout): Reader<number> {
  const status = columnWith(columns, 'status_code');
  const permanent = columnWith(columns, 'permanent');
  if (!permanent && format === 'magento') return (cells) => readMagentoStatus(cellOf(cells, status) ?? '');
  // Shlink's files have no status. Its redirects are temporary by default, as those of TYPO3 are.
  const fallback = format === 'shlink' ? '302' : format === 'typo3' ? '307' : undefined;
  if (!permanent && fallback !== undefined) return (cells) => readStatusCode(cellOf(cells, status) || fallback);
  if (!permanent) return (cells) => readStatusCode(cellOf(cells, status) ?? '');
  return (cells) => {
    const code = readStatusCode(cellOf(cells, status) ?? '');
    const isPermanent = readBoolean(cellOf(cells, permanent) ?? '', 'status_code', permanent.header);
    if (isIssue(isPermanent)) return isPermanent;
    if (isIssue(code)) return code;
    // In Vercel a code wins over `permanent`, which is false by default.
    if (format === 'vercel') return code ?? (isPermanent === true ? 308 : 307);
    if (isPermanent === undefined) return code;
    if (code === undefined) return isPermanent ? 308 : 307;
    if (isPermanent === (code === 301 || code === 308)) return code;
    const message = `status_code is ${code}, but ${permanent.header} is ${String(isPermanent)}; clear one of them`;
    return issue('status_code', 'INVALID_STATUS_CODE', message);
  };
}

function readMagentoStatus(cell: string): number | undefined | Issue {
  if (cell !== '0') return readStatusCode(cell);
  return unsupported('redirect_type is "0", an internal rewrite and not a redirect; leave the row out');
}

function enabledReader({ columns, format }: CsvLayout): Reader<boolean> {
  const state = columnWith(columns, 'state');
  if (state) return (cells) => readState(cellOf(cells, state) ?? '', state.header);
  const disabled = columnWith(columns, 'disabled');
  const column = disabled ?? columnWith(columns, 'enabled');
  if (!column) return () => undefined;
  // SEOPress writes `yes` or nothing.
  const empty = format === 'seopress' ? 'no' : '';
  return (cells) => {
    const value = readBoolean(cellOf(cells, column) || empty, 'target_environments', column.header);
    return typeof value === 'boolean' && disabled ? !value : value;
  };
}

function websiteReader({ columns, options }: CsvLayout): Reader<number> {
  const column = columnWith(columns, 'website_id');
  return (cells) => {
    const id = readWebsiteId(cellOf(cells, column) ?? '');
    if (isIssue(id) || id === undefined || options.websiteId === null || id === options.websiteId) return id;
    const message = `website_id is ${id}, but the import is into website ${options.websiteId}`;
    return issue('website_id', 'WEBSITE_MISMATCH', message);
  };
}

function windowReader({ columns }: CsvLayout): Reader<Pick<FileRow, 'activeFrom' | 'activeUntil'>> {
  const from = columnWith(columns, 'active_from');
  const until = columnWith(columns, 'active_until');
  return (cells) => {
    const activeFrom = readMoment('active_from', emptyIsNull(cellOf(cells, from)));
    if (isIssue(activeFrom)) return activeFrom;
    const activeUntil = readMoment('active_until', emptyIsNull(cellOf(cells, until)));
    return isIssue(activeUntil) ? activeUntil : { activeFrom, activeUntil };
  };
}

function noticeCounter(layout: CsvLayout, notices: RowNotices) {
  const { columns } = layout;
  const newColumn = columnWith(columns, 'new_path');
  const ignored = columnsWith(columns, 'ignored');
  const hosts = columnsWith(columns, 'host');
  const countOptions = optionCounter(layout, notices);
  return (row: ReadRow, enabled: boolean | undefined): void => {
    const { line, cells } = row;
    const { source, newPath, conversion } = row.rule;
    const count = (code: NoticeCode, column: string): void => notices.count(code, column, line);
    if (source.hostRemoved || hosts.some((column) => cellOf(cells, column))) count('HOST_REMOVED', 'old_path');
    if (source.slashAdded) count('SLASH_ADDED', 'old_path');
    if (newPath?.startsWith('/') === true && /^https?:/i.test(cellOf(cells, newColumn) ?? ''))
      count('HOST_REMOVED', 'new_path');
    if (conversion) count(conversion, 'old_path');
    if (enabled === false) count('DISABLED_AS_DRAFT', 'target_environments');
    for (const column of ignored) if (cellOf(cells, column)) count('COLUMN_IGNORED', column.header);
    if (row.options?.isQueryLoosened === true) count('QUERY_PAIRS', 'old_path');
    countOptions(row);
  };
}
