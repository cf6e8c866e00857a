import { isUtf8 } from 'node:buffer';

/** Bytes of UTF-8, line ends inside quotes included. */
export const MAX_ROW_BYTES = 64 * 1024;

/** Whole physical lines. `damaged`: a line was not valid in its encoding, and ends in a lone surrogate. */
export interface TextBlock {
  text: string;
  damaged: boolean;
}

const LF = 10;
const CR = 13;
const DAMAGE = '\ud800';

/**
 * Splits UTF-8 bytes after line ends (LF, CRLF or CR) and decodes them. Memory stays flat: of a line that is longer
 * than a row may be, only enough is kept to show that it is too long.
 */
export async function* textBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextBlock> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
    const cut = afterLastLineEnd(bytes);
    if (cut > 0) yield decode(bytes.subarray(0, cut));
    carry = shorten(Buffer.from(bytes.subarray(cut)));
  }
  if (carry.length > 0) yield decode(carry);
}

/** A CR as the last byte may be half of a CRLF, so it waits for the next byte. */
function afterLastLineEnd(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(LF);
  const cr = bytes.length > 1 ? bytes.lastIndexOf(CR, bytes.length - 2) : -1;
  return Math.max(lf, cr) + 1;
}

function shorten(line: Buffer): Buffer {
  if (line.length <= MAX_ROW_BYTES + 2) return line;
  const kept = Buffer.from(line.subarray(0, MAX_ROW_BYTES + 1));
  return line.at(-1) === CR ? Buffer.concat([kept, Buffer.from([CR])]) : kept;
}

function decode(bytes: Buffer): TextBlock {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), damaged: false };
  const text = bytes.toString('latin1').replace(/[^\r\n]+/g, (characters) => {
    const line = Buffer.from(characters, 'latin1');
    return isUtf8(line) ? line.toString('utf8') : characters + DAMAGE;
  });
  return { text, damaged: true };
}
