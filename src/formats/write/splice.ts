/**
 * The fast path of an export: builds entries from the bytes of COPY, without a string or an object per row. See
 * README.md. Row by row takes more than twice the time (docs/adr/0011).
 */
import type { Frame } from './lossless-format.ts';

const TAB = 9;
const LINE_FEED = 10;
const SLASH = 47;
/** Cached ends of entries. With more distinct ends, the export falls back to the slow path. */
const MAX_ENDS = 1_000;
/** Ends that are compared before `ends` is searched, which costs a string. */
const MAX_RECENT = 8;
const INITIAL_BYTES = 512 * 1024;
/** Above this length, a call of copy() is faster than a loop. */
const MAX_LOOP_BYTES = 64;

/** The end of entries for one rest of a row, line feed included. */
interface RecentEnd {
  rest: Buffer;
  end: Buffer;
  /** the end after a target: with the quote that closes it */
  endAfterTarget: Buffer;
}

export interface Entries {
  text: string | Buffer;
  count: number;
}

/**
 * Rows begin with the cells id, old_path and new_path ('' if null); the other cells determine the end of the entry.
 * COPY escapes control characters with a backslash, so a row without one needs no decoding.
 */
export function createSplicer(frame: Frame) {
  const beforeId = Buffer.from(frame.beforeId);
  const beforeOldPath = Buffer.from(frame.beforeOldPath);
  const beforeTarget = Buffer.from(`${frame.beforeNewPath}"`);
  const beforeNull = Buffer.from(`${frame.beforeNewPath}null`);
  const frameBytes = beforeId.length + beforeOldPath.length + beforeTarget.length + beforeNull.length;
  const quote = Buffer.from('"');
  const ends = new Map<string, Buffer>();
  const recent: RecentEnd[] = [];
  const out = createBytes();

  /** Returns the end for the rest of a row from `rest` on. Rows near each other have one of a few rests. */
  function endFor(rows: Buffer, rest: number): RecentEnd | undefined {
    for (const each of recent) if (isSame(rows, rest, each.rest)) return each;
    const text = rows.toString('latin1', rest, rows.indexOf(LINE_FEED, rest));
    const end = ends.get(text);
    if (end === undefined) return undefined;
    const endAfterTarget = Buffer.concat([quote, end]);
    const found = { rest: Buffer.from(`${text}\n`, 'latin1'), end, endAfterTarget };
    recent.unshift(found);
    if (recent.length > MAX_RECENT) recent.pop();
    return found;
  }

  function spliceAll(rows: Buffer): number | undefined {
    let [at, count] = [0, 0];
    while (at < rows.length) {
      const oldPath = rows.indexOf(TAB, at) + 1;
      const newPath = rows.indexOf(TAB, oldPath) + 1;
      const rest = rows.indexOf(TAB, newPath);
      if (frame.isEndByHost && rest > newPath && rows[newPath] !== SLASH) return undefined;
      const found = endFor(rows, rest);
      if (found === undefined) return undefined;
      out.reserve(rest - at + frameBytes + found.end.length);
      out.put(beforeId, 0, beforeId.length);
      out.put(rows, at, oldPath - 1);
      out.put(beforeOldPath, 0, beforeOldPath.length);
      out.put(rows, oldPath, newPath - 1);
      const hasTarget = rest > newPath;
      const before = hasTarget ? beforeTarget : beforeNull;
      out.put(before, 0, before.length);
      out.put(rows, newPath, rest);
      const end = hasTarget ? found.endAfterTarget : found.end;
      out.put(end, 0, end.length);
      at = rest + found.rest.length;
      count++;
    }
    return count;
  }

  return {
    /**
     * Returns the entries of whole rows of COPY text. Returns undefined if the chunk has a quote or a backslash, a
     * target on another host, or a row whose end is not cached.
     */
    splice(rows: Buffer): Entries | undefined {
      if (rows.includes(quote) || rows.includes('\\')) return undefined;
      const count = spliceAll(rows);
      const text = out.take();
      return count === undefined ? undefined : { text, count };
    },
    /**
     * Caches the ends of the entries of these rows. `endOf` returns undefined for an end that no other row may share.
     */
    learn: (rows: Buffer, endOf: (at: number) => string | undefined) => learnEnds(ends, rows, endOf),
  };
}

function learnEnds(ends: Map<string, Buffer>, rows: Buffer, endOf: (at: number) => string | undefined): void {
  let at = 0;
  for (let row = 0; at < rows.length && ends.size < MAX_ENDS; row++) {
    const newPath = rows.indexOf(TAB, rows.indexOf(TAB, at) + 1) + 1;
    const rest = rows.indexOf(TAB, newPath);
    const stop = rows.indexOf(LINE_FEED, rest);
    const end = endOf(row);
    if (end !== undefined) ends.set(rows.toString('latin1', rest, stop), Buffer.from(end));
    at = stop + 1;
  }
}

/** True if the bytes of `rest` are in `rows` from `start` on. */
function isSame(rows: Buffer, start: number, rest: Buffer): boolean {
  for (let at = 0; at < rest.length; at++) if (rows[start + at] !== rest[at]) return false;
  return true;
}

/** A growing buffer. */
function createBytes() {
  let bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  let length = 0;
  return {
    /** Makes room for this many bytes; `put` does not check. */
    reserve(count: number): void {
      if (length + count > bytes.length) bytes = Buffer.concat([bytes.subarray(0, length)], (length + count) * 2);
    },
    put(from: Buffer, start: number, stop: number): void {
      if (stop - start > MAX_LOOP_BYTES) length += from.copy(bytes, length, start, stop);
      else for (let at = start; at < stop; at++) bytes[length++] = from[at] ?? 0;
    },
    take(): Buffer {
      const taken = Buffer.from(bytes.subarray(0, length));
      length = 0;
      return taken;
    },
  };
}
