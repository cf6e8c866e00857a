import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import { MAX_ROW_BYTES, textBlocks } from '../../rows/lines.ts';
import { addInvalid, addRow, newBatch } from './make-row.ts';
import type { UrlBatch } from './url-row.ts';

const BATCH_LINES = 1_000;
const LINE_END = /\r\n|\n|\r/;

/** Adds one line of a list, without white space around it, to the batch. */
type AddLine = (batch: UrlBatch, line: number, text: string) => void;

/** Yields the addresses of a plain list, one on each line. Lines that begin with `#` are comments. */
export function readTextList(chunks: AsyncIterable<Buffer>): AsyncGenerator<UrlBatch> {
  return readLines(chunks, (batch, line, text) => {
    if (!text.startsWith('#')) addRow(batch, { line, url: text, living: true });
  });
}

/** Yields what `addLine` makes of the lines that are not blank. Lines that cannot be read are invalid rows. */
export async function* readLines(chunks: AsyncIterable<Buffer>, addLine: AddLine): AsyncGenerator<UrlBatch> {
  const slice = createTimeSlice();
  let line = 0;
  for await (const { text, damaged } of textBlocks(chunks)) {
    const lines = text.split(LINE_END);
    if (lines.at(-1) === '') lines.pop();
    for (let from = 0; from < lines.length; from += BATCH_LINES) {
      const batch = newBatch();
      for (const each of lines.slice(from, from + BATCH_LINES)) {
        const problem = problemOf(each, damaged);
        const content = each.trim();
        line++;
        if (problem !== undefined) addInvalid(batch, line, each, problem);
        else if (content !== '') addLine(batch, line, content);
      }
      yield batch;
      if (slice.isOver()) await slice.yield();
    }
  }
}

function problemOf(line: string, damaged: boolean): ErrorCode | undefined {
  if (line.length * 3 > MAX_ROW_BYTES && Buffer.byteLength(line) > MAX_ROW_BYTES) return 'TOO_LONG';
  return damaged && !line.isWellFormed() ? 'MALFORMED_ROW' : undefined;
}
