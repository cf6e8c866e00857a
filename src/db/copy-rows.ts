import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** A row of COPY text: null for NULL, everything else as PostgreSQL writes it (`t` and `f` for booleans). */
export type CopyRow = (string | null)[];

const LINE_FEED = 10;
const UNESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Streams the rows of a query through COPY, one batch for each piece that the socket gives (about 64 KB), so that no batch
 * holds the event loop for long and memory stays flat. `query` is SQL text and must hold no untrusted value.
 */
export async function* copyRows(client: PoolClient, query: string): AsyncGenerator<CopyRow[]> {
  const stream = client.query(copyTo(`copy (${query}) to stdout`));
  let rest: Buffer | undefined;
  // The stream's chunks are Buffers: it is never given an encoding.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(LINE_FEED);
    if (end < 0) {
      rest = bytes;
      continue;
    }
    rest = end + 1 < bytes.length ? bytes.subarray(end + 1) : undefined;
    yield parseCopyText(bytes.toString('utf8', 0, end));
  }
  if (rest) throw new Error('COPY ended within a row');
}

/** The rows of COPY text (PostgreSQL, COPY, "Text Format"), without the last line feed. */
export function parseCopyText(text: string): CopyRow[] {
  return text.split('\n').map((line) => {
    const cells: CopyRow = line.split('\t');
    if (!line.includes('\\')) return cells;
    return cells.map((cell) =>
      cell === '\\N' ? null : (cell ?? '').replace(/\\(.)/g, (_, c: string) => UNESCAPED[c] ?? c),
    );
  });
}

/** A value as a cell of COPY text. */
export function copyCell(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (c) => ESCAPED[c] ?? c) : value;
}

const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
