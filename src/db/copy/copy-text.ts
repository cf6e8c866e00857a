/** A cell of a row: null is NULL. */
export type CopyCell = string | number | boolean | null;

const PIECE_BYTES = 64 * 1024;
/** Bytes of a character of UTF-16 in UTF-8, at most. */
const MAX_CHARACTER_BYTES = 3;
/** NULL is a backslash and an N. */
const [BACKSLASH, CAPITAL_N] = [92, 78];
const TAB = 9;
const LINE_FEED = 10;
const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * Encodes rows as COPY text (PostgreSQL, COPY, "Text Format"), in pieces of 64 KB or of one long cell. Cells are written
 * into the piece: joined as strings, a million rows take twice the time, most of it in garbage collections.
 */
export function createCopyText() {
  let pieces: Buffer[] = [];
  let taken = 0;
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let end = 0;

  function cut(): void {
    if (end > 0) pieces.push(piece.subarray(0, end));
    taken += end;
    piece = piece.subarray(end);
    end = 0;
  }

  function reserve(bytes: number): void {
    if (end + bytes <= piece.length) return;
    cut();
    piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
  }

  function write(cell: CopyCell): void {
    if (cell === null) {
      reserve(3);
      piece[end++] = BACKSLASH;
      piece[end++] = CAPITAL_N;
    } else if (typeof cell === 'string') {
      const text = escaped(cell);
      reserve(text.length * MAX_CHARACTER_BYTES + 1);
      end += piece.write(text, end);
    } else {
      // Most cells are short and ASCII, and a call of `write` takes longer than their bytes.
      const text = String(cell);
      reserve(text.length + 1);
      for (let at = 0; at < text.length; at++) piece[end++] = text.charCodeAt(at);
    }
    piece[end++] = TAB;
  }

  return {
    /** Adds a row. Returns the bytes that no `take` has taken yet. */
    add(cells: readonly CopyCell[]): number {
      for (const cell of cells) write(cell);
      piece[end - 1] = LINE_FEED;
      return taken + end;
    },
    /** Takes the pieces with all rows so far. */
    take(): Buffer[] {
      cut();
      const whole = pieces;
      pieces = [];
      taken = 0;
      return whole;
    },
  };
}

const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPED[character] ?? character) : text;
