import pg, { type PoolClient } from 'pg';
import { PgDialect, type SQL } from '../drizzle.ts';
import { copyOut } from './copy-out.ts';

/** A row of COPY text: null for NULL, other values as PostgreSQL writes them (`t` and `f` for booleans). */
export type CopyRow = (string | null)[];

const LINE_FEED = 10;
const UNESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Streams the rows of a query through COPY, one batch per chunk of the socket (about 64 KB), so that no batch blocks
 * the event loop and memory stays flat. `query` is SQL text and must not contain untrusted values.
 */
export async function* copyRows(client: PoolClient, query: string): AsyncGenerator<CopyRow[]> {
  for await (const bytes of copyChunks(client, query)) yield parseCopyText(bytes);
}

/** Streams the same as COPY text: whole rows with their line feeds, at least `minBytes` at a time. */
export async function* copyChunks(client: PoolClient, query: string, minBytes = 0): AsyncGenerator<Buffer> {
  const stream = client.query(copyOut(`copy (${query}) to stdout`));
  let parts: Buffer[] = [];
  let length = 0;
  // The stream has no encoding, so its chunks are Buffers.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk);
    length += chunk.length;
    const lastEnd = chunk.lastIndexOf(LINE_FEED) + 1;
    if (length < minBytes || lastEnd === 0) continue;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, length);
    const end = length - chunk.length + lastEnd;
    yield bytes.subarray(0, end);
    parts = end < length ? [bytes.subarray(end)] : [];
    length -= end;
  }
  if (length === 0) return;
  const bytes = Buffer.concat(parts, length);
  if (bytes.at(-1) !== LINE_FEED) throw new Error('COPY ended within a row');
  yield bytes;
}

/** Parses rows of COPY text (PostgreSQL, COPY, "Text Format"). Each ends with a line feed. */
export function parseCopyText(bytes: Buffer): CopyRow[] {
  const rows: CopyRow[] = [];
  for (const line of bytes.toString('utf8', 0, bytes.length - 1).split('\n')) {
    const cells: CopyRow = line.split('\t');
    if (line.includes('\\')) for (let at = 0; at < cells.length; at++) cells[at] = unescaped(cells[at] ?? '');
    rows.push(cells);
  }
  return rows;
}

/** Nearly all cells with a backslash are NULL. */
function unescaped(cell: string): string | null {
  if (cell === '\\N') return null;
  return cell.includes('\\') ? cell.replace(/\\(.)/g, (_, c: string) => UNESCAPED[c] ?? c) : cell;
}

const dialect = new PgDialect({ casing: 'snake_case' });

/** Renders SQL as text without parameters, which COPY does not accept. The driver escapes the values. */
export function inlineSql(query: SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(params[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  throw new Error(`a value of type ${typeof value} has no literal`);
}
