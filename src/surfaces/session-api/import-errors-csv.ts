import type { StoredImportError } from '../../redirects/import/find-import.ts';
import { csvCell } from './csv-cell.ts';

/** The bad rows of an import as CSV (RFC 4180), in the order in which they were found. */
export async function* importErrorsCsv(pages: AsyncIterable<StoredImportError[]>): AsyncGenerator<string> {
  yield 'line,column,code,message,old_path\r\n';
  for await (const page of pages) yield page.map(rowText).join('');
}

function rowText(error: StoredImportError): string {
  return `${[String(error.line), error.field ?? '', error.code, error.message, error.oldPath ?? ''].map(csvCell).join(',')}\r\n`;
}
