import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { textBlocks } from '../../rows/lines.ts';
import { createFramer, type Framer, type Rows } from './framing.ts';
import { type Delimiter, DELIMITERS } from './tokenize.ts';

const BATCH_ROWS = 500;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Yields the rows of a CSV file in batches, header included, and yields to the event loop when a time slice is over.
 * `delimiterOf` receives the start of the file.
 */
export async function* framedRows(
  chunks: AsyncIterable<Buffer>,
  delimiterOf: (start: string) => Delimiter,
): AsyncGenerator<Rows> {
  const slice = createTimeSlice();
  let framer: Framer | undefined;
  const drain = async function* (): AsyncGenerator<Rows> {
    for (let rows = framer?.take(BATCH_ROWS); rows; rows = framer?.take(BATCH_ROWS)) {
      yield rows;
      if (slice.isOver()) await slice.yield();
    }
  };
  for await (const { text: read, damaged } of textBlocks(chunks)) {
    const text = !framer && read.startsWith(BYTE_ORDER_MARK) ? read.slice(1) : read;
    framer ??= createFramer(delimiterOf(text));
    framer.push({ text, damaged }, false);
    yield* drain();
  }
  framer?.push({ text: '', damaged: false }, true);
  yield* drain();
}

/** The first delimiter in the first line: for a header of names without one. */
export function headerDelimiter(start: string): Delimiter {
  const [header = ''] = start.split(/[\r\n]/, 1);
  return DELIMITERS.find((delimiter) => header.includes(delimiter)) ?? ',';
}
