/** Reads a server file twice: first where each rule is, to compare the order of statements, then its rows. */
import { type RowError, rowError } from '../../../rules/entry.ts';
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { createNotices, type FileNotice, optionValues, type RowMarks } from '../../rows/notices.ts';
import type { FileRow } from '../../rows/row.ts';
import { readApache } from './apache/apache.ts';
import { readFirebase } from './firebase.ts';
import { readIis } from './iis/iis.ts';
import { readNetlify } from './netlify.ts';
import { readNginx } from './nginx/nginx.ts';
import { createStatementOrder, type Place } from './order.ts';
import type { TextFile } from './physical-lines.ts';
import {
  type Finding,
  type FoundRule,
  inexact,
  isIgnored,
  quoting,
  type ServerContext,
  type ServerFormat,
  type Statement,
  type StatementReader,
} from './statement.ts';
import { readSquarespace } from './squarespace.ts';
import { readNext, readVercel } from './vercel.ts';
import { countNotices, forWebsite, isItself, statementCells, toRow } from './to-row.ts';

export interface ServerFile extends TextFile {
  format: ServerFormat;
  context: ServerContext;
  /** complete when the last row has been read */
  notices: FileNotice[];
}

const READERS: Record<ServerFormat, StatementReader> = {
  apache: readApache,
  nginx: readNginx,
  netlify: readNetlify,
  vercel: readVercel,
  next: readNext,
  squarespace: readSquarespace,
  firebase: readFirebase,
  iis: readIis,
};

/**
 * Yields the rows of a file in batches, each with the text of its statement. Directives that are not redirects are
 * counted in `file.notices`, comments are not. Throws VALIDATION_ERROR if the file is not readable as its format.
 */
export async function* readServerRows(file: ServerFile, onRead?: (bytes: number) => void, marks?: RowMarks) {
  const { context } = file;
  const notices = createNotices(optionValues(context), marks);
  const order = createStatementOrder(context, notices);
  for await (const placed of placedStatements(file)) {
    for (const { statement, place } of placed) {
      if ('source' in statement.found && statement.found.isDisabled !== true)
        order.add(forWebsite(statement.found, context), place);
    }
  }
  async function readRow(found: FoundRule | Issue, text: string, place: Place): Promise<FileRow | RowError> {
    const { line } = place;
    const invalid = (issue: Issue, oldPath: string | null) =>
      rowError(line, oldPath, { ...issue, message: quoting(issue.message, text) });
    if (isIssue(found)) return invalid(found, null);
    const rule = forWebsite(found, context);
    const row = toRow(rule, line, context);
    const conflict = rule.isDisabled === true ? undefined : await order.check(rule, place);
    if (conflict) return invalid(conflict, row.oldPath);
    countNotices(rule, row, context, notices);
    return row;
  }
  for await (const placed of placedStatements(file, onRead)) {
    const rows: { row: FileRow | RowError; text: string }[] = [];
    for (const { statement, place } of placed) {
      const { found, text } = statement;
      if (isIgnored(found)) notices.count('NOT_A_REDIRECT', found.ignored, place.line);
      else rows.push({ row: await readRow(found, text, place), text });
    }
    if (rows.length > 0) yield rows;
  }
  file.notices.splice(0, file.notices.length, ...notices.list());
}

async function* placedStatements(file: ServerFile, onRead?: (bytes: number) => void) {
  let number = 0;
  for await (const statements of READERS[file.format](file, file.context, onRead)) {
    yield statements.map((each): { statement: Statement; place: Place } => {
      const statement = { ...each, found: withoutItself(each.found, file.context) };
      const phase = 'source' in statement.found ? statement.found.phase : 0;
      return { statement, place: { phase, number: number++, line: statement.line } };
    });
  }
}

const ITSELF =
  'it redirects each path to itself with another scheme or host; redirect the whole host, or http in the proxy, and remove it';

const withoutItself = (found: Finding, context: ServerContext): Finding =>
  'source' in found && isItself(found, context) ? inexact(ITSELF) : found;

/** The statements for the list of errors. The statements of one line are one row, with their texts alone. */
export async function* originalStatements(file: ServerFile): AsyncGenerator<{ line: number; cells: string[] }[]> {
  const { context, format } = file;
  let pending: { line: number; cells: string[] } | undefined;
  for await (const statements of READERS[format](file, context)) {
    const rows: { line: number; cells: string[] }[] = [];
    for (const { line, text, found } of statements) {
      if (isIgnored(found)) continue;
      if (pending?.line === line) {
        pending.cells = statementCells(`${pending.cells.at(-1) ?? ''} ${text}`);
        continue;
      }
      if (pending) rows.push(pending);
      const row = isIssue(found) ? found : toRow(forWebsite(found, context), line, context);
      pending = { line, cells: statementCells(text, row) };
    }
    yield rows;
  }
  if (pending) yield [pending];
}
