import type { StoredImportError } from '../../redirects/import/find-import.ts';

/** The bad rows of an import as CSV (RFC 4180), in the order in which they were found. */
export async function* importErrorsCsv(pages: AsyncIterable<StoredImportError[]>): AsyncGenerator<string> {
  yield 'line,column,code,message,old_path\r\n';
  for await (const page of pages) yield page.map(rowText).join('');
}

function rowText(error: StoredImportError): string {
  return `${[String(error.line), error.field ?? '', error.code, error.message, error.oldPath ?? ''].map(cell).join(',')}\r\n`;
}

/** Quoted where it must be. A spreadsheet would run a cell that begins like a formula, so an apostrophe goes before it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
