/**
 * The fast path of an export: builds entries from the bytes of COPY, without an object per row. See README.md. Row by
 * row takes more than twice the time (docs/adr/0011).
 */
import type { Frame } from './lossless-format.ts';

const TAB = 9;
const LINE_FEED = 10;
const QUOTE = 34;
const SLASH = 47;
/** Cached ends of entries. With more distinct ends, the export falls back to the slow path. */
const MAX_ENDS = 1_000;
const INITIAL_BYTES = 512 * 1024;

export interface Entries {
  text: string | Buffer;
  count: number;
}

/**
 * Rows begin with the cells id, old_path and new_path ('' if null); the other cells, the rest, determine the end of the
 * entry. COPY escapes control characters with a backslash, so a row without one needs no decoding.
 */
export function createSplicer(frame: Frame) {
  const beforeId = Buffer.from(frame.beforeId);
  const beforeOldPath = Buffer.from(frame.beforeOldPath);
  const beforeTarget = Buffer.from(`${frame.beforeNewPath}"`);
  const beforeNull = Buffer.from(`${frame.beforeNewPath}null`);
  const frameBytes = beforeId.length + beforeOldPath.length + beforeTarget.length + beforeNull.length;
  const ends = new Map<string, Buffer>();
  let out = Buffer.allocUnsafe(INITIAL_BYTES);
  let length = 0;

  function put(from: Buffer, start: number, stop: number): void {
    for (let at = start; at < stop; at++) out[length++] = from[at] ?? 0;
  }

  function putEntry(rows: Buffer, { id, oldPath, newPath, rest, next }: Cells, end: Buffer): void {
    const size = length + (next - id) + frameBytes + end.length;
    if (size > out.length) out = Buffer.concat([out.subarray(0, length)], 2 * size);
    put(beforeId, 0, beforeId.length);
    put(rows, id, oldPath - 1);
    put(beforeOldPath, 0, beforeOldPath.length);
    put(rows, oldPath, newPath - 1);
    const before = rest > newPath ? beforeTarget : beforeNull;
    put(before, 0, before.length);
    put(rows, newPath, rest);
    if (rest > newPath) out[length++] = QUOTE;
    length += end.copy(out, length);
  }

  return {
    /**
     * Returns the entries of whole rows of COPY text. Returns undefined if the chunk has a quote or a backslash, a
     * target on another host, or a row whose end is not cached.
     */
    splice(rows: Buffer): Entries | undefined {
      if (rows.includes(QUOTE) || rows.includes('\\')) return undefined;
      length = 0;
      let count = 0;
      for (let at = 0; at < rows.length; count++) {
        const cells = cellsAt(rows, at);
        const { newPath, rest, next } = cells;
        if (frame.isEndByHost && rest > newPath && rows[newPath] !== SLASH) return undefined;
        const end = ends.get(rows.toString('latin1', rest, next));
        if (end === undefined) return undefined;
        putEntry(rows, cells, end);
        at = next;
      }
      return { text: Buffer.from(out.subarray(0, length)), count };
    },
    /**
     * Caches the ends of the entries of these rows. `endOf` returns undefined for an end that no other row may share.
     */
    learn(rows: Buffer, endOf: (at: number) => string | undefined): void {
      for (let at = 0, row = 0; at < rows.length && ends.size < MAX_ENDS; row++) {
        const { rest, next } = cellsAt(rows, at);
        const end = endOf(row);
        if (end !== undefined) ends.set(rows.toString('latin1', rest, next), Buffer.from(end));
        at = next;
      }
    },
  };
}

type Cells = ReturnType<typeof cellsAt>;

/** The offsets of a row's cells, and of the next row. */
function cellsAt(rows: Buffer, id: number) {
  const oldPath = rows.indexOf(TAB, id) + 1;
  const newPath = rows.indexOf(TAB, oldPath) + 1;
  const rest = rows.indexOf(TAB, newPath);
  return { id, oldPath, newPath, rest, next: rows.indexOf(LINE_FEED, rest) + 1 };
}
