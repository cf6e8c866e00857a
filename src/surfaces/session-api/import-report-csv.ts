import type { RowVerdict } from '../../redirects/import/read-verdicts.ts';
import { csvCell } from './csv-cell.ts';

const COLUMNS =
  'line,verdict,reason,old_path,new_path,status_code,is_regex,current_new_path,current_status_code,redirect_id';

/** The rows of a dry run as CSV (RFC 4180), in the order of the file, each with its verdict and what it is about. */
export async function* importReportCsv(pages: AsyncIterable<RowVerdict[]>): AsyncGenerator<string> {
  // The first page before anything goes out: whether there is one decides what is answered.
  let head = `${COLUMNS}\r\n`;
  for await (const page of pages) {
    yield head + page.map(rowText).join('');
    head = '';
  }
  if (head) yield head;
}

function rowText(row: RowVerdict): string {
  const { line, verdict, oldPath, newPath, statusCode, isRegex, there } = row;
  const cells = [
    String(line),
    verdict,
    reasonOf(row),
    oldPath ?? '',
    newPath ?? '',
    statusCode === null ? '' : String(statusCode),
    isRegex === null ? '' : String(isRegex),
    there?.newPath ?? '',
    there ? String(there.statusCode) : '',
    there ? String(there.id) : '',
  ];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function reasonOf({ verdict, error, byLine, changes }: RowVerdict): string {
  if (error) return `${error.column}: ${error.message}`;
  if (verdict === 'repeated') return `line ${byLine ?? ''} decides about this path`;
  if (verdict === 'replaces') return `changes ${changes.join(', ')}`;
  return verdict === 'skipped' ? `differs in ${changes.join(', ')}; stays as it is` : '';
}
