/** The rows of an import as CSV (RFC 4180), in the order of the file. */
import type { StoredImportError } from '../../redirects/import/find-import.ts';
import type { RowVerdict } from '../../redirects/import/read-verdicts.ts';

const REPORT_COLUMNS =
  'line,verdict,reason,old_path,new_path,status_code,is_regex,current_new_path,current_status_code,redirect_id';

/** The rejected rows. */
export async function* importErrorsCsv(pages: AsyncIterable<StoredImportError[]>): AsyncGenerator<string> {
  yield 'line,column,code,message,old_path\r\n';
  for await (const page of pages) {
    yield page.map(({ line, field, code, message, oldPath }) => csvRow([line, field, code, message, oldPath])).join('');
  }
}

/** The rows of a dry run with their verdicts. */
export async function* importReportCsv(pages: AsyncIterable<RowVerdict[]>): AsyncGenerator<string> {
  // Reads the first page before it yields: an import without a report fails there, and the response gets its status.
  let header = `${REPORT_COLUMNS}\r\n`;
  for await (const page of pages) {
    yield header + page.map(reportRow).join('');
    header = '';
  }
  if (header) yield header;
}

function reportRow(row: RowVerdict): string {
  const { line, verdict, oldPath, newPath, statusCode, isRegex, there: existing } = row;
  return csvRow([
    line,
    verdict,
    reasonOf(row),
    oldPath,
    newPath,
    statusCode,
    isRegex,
    existing?.newPath,
    existing?.statusCode,
    existing?.id,
  ]);
}

function reasonOf({ verdict, error, byLine, changes }: RowVerdict): string {
  if (error) return `${error.column}: ${error.message}`;
  if (verdict === 'repeated') return `line ${byLine ?? ''} decides about this path`;
  if (verdict === 'replaces') return `changes ${changes.join(', ')}`;
  return verdict === 'skipped' ? `differs in ${changes.join(', ')}; stays as it is` : '';
}

function csvRow(cells: (string | number | boolean | null | undefined)[]): string {
  return `${cells.map((cell) => csvCell(String(cell ?? ''))).join(',')}\r\n`;
}

/** Quotes a cell where it must be. A leading apostrophe keeps spreadsheets from running text as a formula. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
