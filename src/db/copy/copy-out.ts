/**
 * COPY TO STDOUT without a Buffer per row. PostgreSQL sends each row as a message, and pg-copy-streams makes a Buffer of
 * each: most of the garbage of an export. Here the rows of a chunk are moved together in place. The library still reads
 * everything else: messages that a chunk cuts, the end, and errors.
 */
import { to as copyTo } from 'pg-copy-streams';

type CopyOut = ReturnType<typeof copyTo>;

/** The part of the library's stream that reads a chunk of the socket. Returns false if its buffer is full. */
interface Parser {
  _parse(chunk: Buffer): boolean;
  _state: number;
  /** bytes that the current message lacks */
  _unreadMessageContentLength: number;
  _buffer: { size: number };
  push(chunk: Buffer): boolean;
}

const AT_MESSAGE_START = 0;
const IN_MESSAGE = 2;
const COPY_DATA = 0x64;
const HEADER_BYTES = 5;

/** A query for `client.query`, as `to` of pg-copy-streams: a stream of COPY text, cut anywhere. */
export function copyOut(text: string): CopyOut {
  const stream = copyTo(text);
  const parser = stream as unknown as Parser;
  const parse = parser._parse.bind(stream);
  parser._parse = (chunk) => {
    let start = 0;
    if (parser._state === IN_MESSAGE) {
      start = Math.min(parser._unreadMessageContentLength, chunk.length);
      const hasRoom = parse(chunk.subarray(0, start));
      if (start === chunk.length) return hasRoom;
    }
    // The chunk before has cut a header.
    if (parser._state !== AT_MESSAGE_START || parser._buffer.size > 0) return parse(chunk.subarray(start));
    const { length, end } = joinRows(chunk, start);
    const hasRoom = length === 0 || parser.push(chunk.subarray(start, start + length));
    return end === chunk.length ? hasRoom : parse(chunk.subarray(end)) && hasRoom;
  };
  return stream;
}

/**
 * Moves the contents of the whole CopyData messages from `start` together. Returns their length, and where the first
 * other message begins.
 */
function joinRows(chunk: Buffer, start: number): { length: number; end: number } {
  let [to, at] = [start, start];
  while (chunk[at] === COPY_DATA && at + HEADER_BYTES <= chunk.length) {
    const stop = at + 1 + chunk.readUInt32BE(at + 1);
    if (stop > chunk.length) break;
    chunk.copyWithin(to, at + HEADER_BYTES, stop);
    to += stop - at - HEADER_BYTES;
    at = stop;
  }
  return { length: to - start, end: at };
}
