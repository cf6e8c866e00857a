/** Reads a bulk body of one JSON entry a line. An invalid line is one invalid entry; the others count. */
import { isUtf8 } from 'node:buffer';
import type { ByteSource } from './byte-source.ts';

const LINE_FEED = 0x0a;
const MAX_LINE_BYTES = 64 * 1024;

/** The value of a line, or why it has none. */
export type Line = { value: unknown } | { problem: string };

/** Yields the lines in batches, without blank ones. */
export async function* readNdjsonBody(source: ByteSource): AsyncGenerator<Line[]> {
  let isSkipping = false;
  for (let more = true; more;) {
    more = await source.more();
    const lines: Line[] = [];
    const { buffer } = source;
    let at = 0;
    for (let end = buffer.indexOf(LINE_FEED); end >= 0; end = buffer.indexOf(LINE_FEED, at)) {
      if (!isSkipping) pushLine(lines, buffer.subarray(at, end));
      isSkipping = false;
      at = end + 1;
    }
    source.take(at);
    if (source.buffer.length > MAX_LINE_BYTES) {
      // Reported once; the rest of the line is skipped without being held.
      if (!isSkipping) pushLine(lines, source.buffer);
      isSkipping = true;
      source.take(source.buffer.length);
    }
    if (!more && !isSkipping) pushLine(lines, source.buffer);
    if (lines.length > 0) yield lines;
  }
}

function pushLine(lines: Line[], bytes: Buffer): void {
  const line = parseLine(bytes);
  if (line) lines.push(line);
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
