/** Chosen fields of an export, for files in a repository: ids and times would change with every deployment. */
import { Readable } from 'node:stream';

const BATCH_CHARACTERS = 64 * 1024;

/** Converts an NDJSON export to lines of these fields. CSV gets a header, NDJSON objects with these fields only. */
export function pickColumns(ndjson: Readable, columns: string[], format: 'csv' | 'ndjson'): Readable {
  return Readable.from(convert(ndjson, columns, format));
}

async function* convert(ndjson: Readable, columns: string[], format: 'csv' | 'ndjson'): AsyncGenerator<Buffer> {
  let batch = format === 'csv' ? `${columns.join(',')}\n` : '';
  for await (const line of linesOf(ndjson)) {
    const entry = JSON.parse(line) as Record<string, unknown>;
    batch +=
      format === 'csv'
        ? `${columns.map((column) => csvCell(entry[column])).join(',')}\n`
        : `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, entry[column]])))}\n`;
    if (batch.length < BATCH_CHARACTERS) continue;
    yield Buffer.from(batch);
    batch = '';
  }
  yield Buffer.from(batch);
}

/** The lines of a stream without blank ones. Throws if the stream breaks off, unlike readline. */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}

/** A cell as the service writes it: quoted if necessary, and never a formula of a spreadsheet. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(',') : String(value);
  const safe = /^[=+\-@]/.test(text) ? ` ${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
