/** The rows of an import as CSV (RFC 4180), in the order of the file. */
import { csvCell } from '../../../formats/write/csv.ts';
import type { StoredImportError } from '../../../redirects/import/verdicts/find-import.ts';
import type { RowVerdict } from '../../../redirects/import/verdicts/read-verdicts.ts';
import { REPORT_COLUMNS } from '../../../formats/read/csv/header.ts';

const VERDICT_COLUMNS =
  'line,verdict,reason,old_path,new_path,status_code,is_regex,current_new_path,current_status_code,redirect_id';

const NOT_STORED = 'the row is not stored; find it by its line in the file';

/** The rejected rows as in the file, with the columns of the error before their own. Fixed, the file can be imported. */
export async function* importErrorsCsv(
  headers: readonly string[] | null,
  pages: AsyncIterable<StoredImportError[]>,
): AsyncGenerator<string> {
  yield csvRow([...REPORT_COLUMNS, ...(headers ?? ['old_path'])]);
  for await (const page of pages) {
    const rows = page.map(({ line, field, code, message, oldPath, cells }) => {
      const text = headers && !cells ? `${message}; ${NOT_STORED}` : message;
      return csvRow([line, field, code, text, ...(headers ? (cells ?? []) : [oldPath])]);
    });
    yield rows.join('');
  }
}

/** The rows of a dry run with their verdicts. */
export async function* importReportCsv(pages: AsyncIterable<RowVerdict[]>): AsyncGenerator<string> {
  // Reads the first page before it yields: an import without a report fails there, and the response gets its status.
  let header = `${VERDICT_COLUMNS}\r\n`;
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
