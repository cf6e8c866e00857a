/** The lines of a log, from its bytes. */

/** A longer line is invalid. Servers accept request lines and headers of a few kilobytes. */
const MAX_LINE_BYTES = 64 * 1024;
/** Texts above 128 KiB take eight times as long to decode: they are outside of the heap's pages. */
const BLOCK_BYTES = 64 * 1024;
const LF = 10;

/** Whole lines, each with its LF. `tooLong`: a part of one line, the last one with its LF. */
export interface LineBlock {
  bytes: Buffer;
  tooLong: boolean;
}

/**
 * Returns a function that cuts chunks into blocks of whole lines. The start of a line waits for its end, so that an
 * unfinished last line is in no block. Memory stays flat: of a line that is too long, the bytes are passed on as they come.
 */
export function createLineBlocks() {
  /** the start of a line, in parts: chunks may be tiny */
  let carry: Buffer[] = [];
  let carried = 0;
  let isLong = false;
  return {
    *blocks(chunk: Buffer): Generator<LineBlock> {
      for (let at = 0; at < chunk.length; at += BLOCK_BYTES) yield* cut(chunk.subarray(at, at + BLOCK_BYTES));
    },
  };

  function* cut(part: Buffer): Generator<LineBlock> {
    let rest = part;
    if (isLong || carried > 0) {
      const end = rest.indexOf(LF) + 1;
      const first = end > 0 ? rest.subarray(0, end) : rest;
      if (isLong) yield { bytes: first, tooLong: true };
      else keep(first);
      if (end === 0 && !isLong && carried <= MAX_LINE_BYTES) return;
      if (!isLong) yield { bytes: Buffer.concat(carry), tooLong: carried > MAX_LINE_BYTES };
      [isLong, carry, carried] = [end === 0, [], 0];
      if (isLong) return;
      rest = rest.subarray(end);
    }
    const end = rest.lastIndexOf(LF) + 1;
    if (end > 0) yield { bytes: rest.subarray(0, end), tooLong: false };
    if (end < rest.length) keep(rest.subarray(end));
  }

  function keep(bytes: Buffer): void {
    carry.push(Buffer.from(bytes));
    carried += bytes.length;
  }
}
