/** Reads a bulk body of one JSON entry a line. An invalid line is one invalid entry; the others count. */
import { isUtf8 } from 'node:buffer';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { ByteSource } from './byte-source.ts';
import { isSpace, LINE_FEED } from './json-scan.ts';

const MAX_LINE_BYTES = 64 * 1024;
const BATCH_LINES = 500;

export type Line = { value: unknown } | { problem: string };

/** Lines with content, and the number of blank ones among them. */
export interface LineBatch {
  lines: Line[];
  blank: number;
}

/** Yields the lines in batches, and yields to the event loop when a time slice is over. */
export async function* readNdjsonBody(source: ByteSource): AsyncGenerator<LineBatch> {
  const slice = createTimeSlice();
  let isSkipping = false;
  for (let more = true; more;) {
    more = await source.more();
    for (let isCut = false; !isCut;) {
      const batch: LineBatch = { lines: [], blank: 0 };
      const { buffer } = source;
      let at = 0;
      while (!isCut && batch.lines.length < BATCH_LINES && !slice.isOver()) {
        if (!isSkipping) at = skipBlank(buffer, at, batch);
        const end = buffer.indexOf(LINE_FEED, at);
        isCut = end < 0;
        if (isCut) break;
        if (!isSkipping) pushLine(batch, buffer.subarray(at, end));
        isSkipping = false;
        at = end + 1;
      }
      source.take(at);
      if (isCut && source.buffer.length > MAX_LINE_BYTES) {
        // Reported once; the rest of the line is skipped without being held.
        if (!isSkipping) pushLine(batch, source.buffer);
        isSkipping = true;
        source.take(source.buffer.length);
      }
      if (isCut && !more && !isSkipping && source.buffer.length > 0) pushLine(batch, source.buffer);
      if (batch.lines.length + batch.blank > 0) yield batch;
      if (slice.isOver()) await slice.yield();
    }
  }
}

/** Returns where the first line with content begins, without the space before it. Counts the blank lines before it. */
function skipBlank(buffer: Buffer, from: number, batch: LineBatch): number {
  let at = from;
  for (; at < buffer.length && isSpace(buffer[at]); at++) if (buffer[at] === LINE_FEED) batch.blank++;
  return at;
}

function pushLine(batch: LineBatch, bytes: Buffer): void {
  const line = parseLine(bytes);
  if (line) batch.lines.push(line);
  else batch.blank++;
}

function parseLine(bytes: Buffer): Line | undefined {
  if (bytes.length > MAX_LINE_BYTES) return { problem: 'the line is longer than 64 KiB' };
  if (!isUtf8(bytes)) return { problem: 'the line is not valid UTF-8' };
  const text = bytes.toString('utf8').trim();
  try {
    return text === '' ? undefined : { value: JSON.parse(text) };
  } catch {
    return { problem: 'the line is not JSON' };
  }
}
