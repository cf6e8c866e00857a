/** Turns chunks of rows into entries of a lossless format, on the fast path (formats/write/splice.ts) or row by row. */
import type { DeployedTimesReader } from './deployed-to-prod.ts';
import { createRowReader } from './rows.ts';
import type { LosslessFormat } from '../../formats/write/lossless-format.ts';
import { createSplicer, type Entries } from '../../formats/write/splice.ts';

/**
 * Returns a function for the chunks of one export, in order. A chunk that the fast path cannot process is converted row
 * by row, and teaches the fast path its ends; the first chunk always is.
 */
export function createEntryWriter(format: LosslessFormat, deployed: DeployedTimesReader) {
  const { frame } = format;
  const splicer = frame && createSplicer(frame);
  const readRows = createRowReader();
  let separator = '';
  return async (chunk: Buffer): Promise<Entries> => {
    const spliced = splicer?.splice(chunk);
    if (spliced) return spliced;
    const rows = readRows(chunk);
    const times = await deployed.read(rows);
    let text = '';
    rows.forEach((row, at) => {
      text += separator + format.entry(row, times[at] ?? null);
      separator = format.separator;
    });
    splicer?.learn(chunk, (at) => {
      const row = rows[at];
      return row && deployed.isShared(row) ? frame?.endOf(row, times[at] ?? null) : undefined;
    });
    return { text, count: rows.length };
  };
}
