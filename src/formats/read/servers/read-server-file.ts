/** Reads a server file twice: first where each rule is, to compare the order of statements, then its rows. */
import { type RowError, rowError } from '../../../rules/entry.ts';
import type { NoticeCode } from '../../../vocabulary/import/issue.ts';
import type { FileNotice, FileRow } from '../../rows/row.ts';
import { isIssue } from '../../rows/cells.ts';
import { readApache } from './apache/apache.ts';
import { readNetlify } from './netlify.ts';
import { readNginx } from './nginx/nginx.ts';
import { createStatementOrder, type Place, type StatementOrder } from './order.ts';
import type { TextFile } from './physical-lines.ts';
import { isIgnored, quoting, type ServerContext, type ServerFormat, type Statement } from './statement.ts';
import { readNext, readVercel } from './vercel.ts';
import { countNotices, forWebsite, statementCells, toRow } from './to-row.ts';

export interface ServerFile extends TextFile {
  format: ServerFormat;
  context: ServerContext;
  /** complete when the last row has been read */
  notices: FileNotice[];
}

/** A row of the file with the text of its statement. */
export interface ServerRow {
  row: FileRow | RowError;
  text: string;
}

/** Lines that notices name one by one. */
const MAX_NAMED_LINES = 100;

type Reader = (file: TextFile, context: ServerContext, onRead?: (bytes: number) => void) => AsyncGenerator<Statement[]>;

const READERS: Record<ServerFormat, Reader> = {
  apache: readApache,
  nginx: readNginx,
  netlify: readNetlify,
  vercel: readVercel,
  next: readNext,
};

/**
 * Yields the rows of a file in batches. Directives that are not redirects are counted in `file.notices`, comments are
 * not. Throws VALIDATION_ERROR if the file is not readable as its format.
 */
export async function* readServerRows(file: ServerFile, onRead?: (bytes: number) => void): AsyncGenerator<ServerRow[]> {
  const { context } = file;
  const notices = new Map<string, FileNotice>();
  const count = (code: NoticeCode, column: string): void => countNotice(notices, code, column);
  let unknown = 0;
  const order = createStatementOrder(context, (line) =>
    count('ORDER_DIFFERS', ++unknown <= MAX_NAMED_LINES ? `line ${line}` : 'further lines'),
  );
  for await (const placed of placedStatements(file)) {
    for (const { statement, place } of placed) {
      if ('source' in statement.found) order.add(forWebsite(statement.found, context), place);
    }
  }
  for await (const placed of placedStatements(file, onRead)) {
    const rows: ServerRow[] = [];
    for (const { statement, place } of placed) {
      const { found, text } = statement;
      if (isIgnored(found)) count('NOT_A_REDIRECT', found.ignored);
      else rows.push({ row: await readRow(statement, place, { context, order, count }), text });
    }
    if (rows.length > 0) yield rows;
  }
  file.notices.splice(0, file.notices.length, ...notices.values());
}

interface RowContext {
  context: ServerContext;
  order: StatementOrder;
  count: (code: NoticeCode, column: string) => void;
}

async function readRow(
  { line, text, found }: Statement,
  place: Place,
  { context, order, count }: RowContext,
): Promise<FileRow | RowError> {
  if (isIgnored(found)) throw new Error('not a row');
  const invalid = (issue: { path: string; code: RowError['code']; message: string }, oldPath: string | null) =>
    rowError(line, oldPath, { ...issue, message: quoting(issue.message, text) });
  if (isIssue(found)) return invalid(found, null);
  const rule = forWebsite(found, context);
  const row = toRow(rule, line, context);
  const conflict = await order.check(rule, place);
  if (conflict) return invalid(conflict, row.oldPath);
  countNotices(rule, row, context, count);
  return row;
}

async function* placedStatements(
  { format, context, path, encoding, plan }: ServerFile,
  onRead?: (bytes: number) => void,
): AsyncGenerator<{ statement: Statement; place: Place }[]> {
  let number = 0;
  for await (const statements of READERS[format]({ path, encoding, plan }, context, onRead)) {
    yield statements.map((statement) => {
      const phase = 'source' in statement.found ? statement.found.phase : 0;
      return { statement, place: { phase, number: number++, line: statement.line } };
    });
  }
}

function countNotice(notices: Map<string, FileNotice>, code: NoticeCode, column: string): void {
  const key = `${code} ${column}`;
  const notice = notices.get(key);
  if (notice) notice.count++;
  else notices.set(key, { code, column, count: 1 });
}

/** The statements for the list of errors. The statements of one line are one row, with their texts alone. */
export async function* originalStatements(file: ServerFile): AsyncGenerator<{ line: number; cells: string[] }[]> {
  const { context, format, path, encoding, plan } = file;
  let pending: { line: number; cells: string[] } | undefined;
  for await (const statements of READERS[format]({ path, encoding, plan }, context)) {
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
