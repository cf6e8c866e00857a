import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Plan } from '../../../vocabulary/plan.ts';
import { type Encoding, utf8Chunks } from '../../rows/encoding.ts';
import { MAX_ROW_BYTES, textBlocks } from '../../rows/lines.ts';
import { createRowCount } from '../../../vocabulary/call-limits.ts';

/** A line of a file. `problem`: why it cannot be read; then `text` is its beginning. */
export interface PhysicalLine {
  line: number;
  text: string;
  problem?: string | undefined;
}

/** A file on disk as the readers of server files read it. */
export interface TextFile {
  path: string;
  encoding: Encoding;
  /** bounds the blank lines of the file */
  plan: Plan;
}

const BATCH_LINES = 500;
const KEPT_OF_PROBLEM = 200;
const TOO_LONG = `the line is longer than ${MAX_ROW_BYTES / 1024} KiB`;
const NOT_TEXT = 'the line is not valid text in the encoding of the file; save the file as UTF-8';

/**
 * Yields the lines of a file in batches of at most 500, and yields to the event loop when a time slice is over. Throws if
 * the file has more blank lines than the plan allows rows.
 */
export async function* physicalLines({ path, encoding, plan }: TextFile, onRead?: (bytes: number) => void) {
  const slice = createTimeSlice();
  const countRows = createRowCount(plan);
  let number = 0;
  for await (const { text } of textBlocks(utf8Chunks(path, encoding, onRead))) {
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    for (let at = 0; at < lines.length; at += BATCH_LINES) {
      const batch = lines.slice(at, at + BATCH_LINES);
      countRows(0, batch.filter((text) => text.trim() === '').length);
      yield batch.map((each) => checked(++number, each));
      if (slice.isOver()) await slice.yield();
    }
  }
}

function checked(line: number, text: string): PhysicalLine {
  const isLong = text.length * 3 > MAX_ROW_BYTES && Buffer.byteLength(text) > MAX_ROW_BYTES;
  const problem = isLong ? TOO_LONG : text.isWellFormed() && !text.includes('\0') ? undefined : NOT_TEXT;
  if (problem === undefined) return { line, text };
  return { line, text: text.slice(0, KEPT_OF_PROBLEM).toWellFormed().replaceAll('\0', '\ufffd'), problem };
}
