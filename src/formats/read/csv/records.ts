import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { invalid } from '../../../vocabulary/error.ts';
import { createRowCount } from '../../../vocabulary/call-limits.ts';
import { type Encoding, utf8Chunks } from '../../rows/encoding.ts';
import { createFramer, type RawRecord } from './framing.ts';
import { type TextBlock, textBlocks } from '../../rows/lines.ts';
import type { CsvLayout } from './layout.ts';
import { type Delimiter, DELIMITERS } from './tokenize.ts';

const BATCH_ROWS = 500;
const SAMPLE_ROWS = 50;

/** A row has at most 64 KiB, so a file without one in its first 256 KiB begins with blank lines. */
const MAX_SAMPLE_BYTES = 256 * 1024;

/**
 * Yields the rows of a file, header included, in batches of at most 500. Yields to the event loop when a time slice is
 * over; a batch takes about 1 ms, and 10 ms in files made to be slow (rows of nothing but quotes). Throws if the file has
 * more rows and blank lines than the plan allows.
 */
export async function* readRecords(
  { path, encoding, delimiter, headerLine, comments, options }: CsvLayout,
  onRead?: (bytes: number) => void,
): AsyncGenerator<RawRecord[]> {
  const framer = createFramer(delimiter);
  const slice = createTimeSlice();
  const countRows = createRowCount(options.plan);
  let isHeader = headerLine !== undefined;
  const drain = async function* (): AsyncGenerator<RawRecord[]> {
    for (let rows = framer.take(BATCH_ROWS); rows; rows = framer.take(BATCH_ROWS)) {
      const counted = comments ? rows.records.filter(({ cells }) => !isComment(cells)) : rows.records;
      countRows(counted.length - Number(isHeader), rows.blank);
      isHeader = false;
      yield rows.records;
      if (slice.isOver()) await slice.yield();
    }
  };
  for await (const block of textBlocks(utf8Chunks(path, encoding, onRead))) {
    framer.push(block, false);
    yield* drain();
  }
  framer.push({ text: '', damaged: false }, true);
  yield* drain();
}

/** Returns the first rows of a file as each delimiter would split them. */
export async function sampleRecords(path: string, encoding: Encoding): Promise<Map<Delimiter, RawRecord[]>> {
  const framers = DELIMITERS.map((delimiter) => [delimiter, createFramer(delimiter)] as const);
  const samples = new Map<Delimiter, RawRecord[]>();
  const slice = createTimeSlice();
  let bytes = 0;
  async function sample(block: TextBlock, last: boolean): Promise<boolean> {
    for (const [delimiter, framer] of framers) {
      framer.push(block, last);
      let rows = framer.take(SAMPLE_ROWS);
      while (rows?.records.length === 0) rows = framer.take(SAMPLE_ROWS);
      samples.set(delimiter, rows?.records ?? []);
      if (slice.isOver()) await slice.yield();
    }
    return samples.values().some((records) => records.length > 0);
  }
  for await (const block of textBlocks(utf8Chunks(path, encoding, (read) => (bytes = read)))) {
    if (await sample(block, false)) return samples;
    if (bytes > MAX_SAMPLE_BYTES) throw invalid('file', 'it begins with 256 KiB of blank lines; remove them');
  }
  await sample({ text: '', damaged: false }, true);
  return samples;
}

export function isComment(cells: readonly string[]): boolean {
  return cells[0]?.startsWith('#') === true;
}
