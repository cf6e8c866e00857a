import type { DeployedTimesReader } from './deployed-to-prod.ts';
import { createRowReader } from './rows.ts';
import { createSplicer } from './splice.ts';
import type { LosslessWriter } from './writer.ts';

/**
 * Makes what stands in the file for chunk after chunk of rows, each entry but the first behind a separator. A chunk is made row by row
 * where it must be, and each such one teaches the splicer, so that most of a large export goes the fast way.
 */
export function createEntryMaker(
  writer: LosslessWriter,
  deployed: DeployedTimesReader,
): (rows: Buffer) => Promise<{ entries: string | Buffer; count: number }> {
  const splicer = writer.frame && createSplicer(writer.frame);
  const readRows = createRowReader();
  // The first chunk never goes the fast way: nothing has been learned by then.
  let separator = '';
  return async (bytes) => {
    const spliced = splicer?.splice(bytes);
    if (spliced) return spliced;
    const rows = readRows(bytes);
    const times = await deployed.read(rows);
    let entries = '';
    rows.forEach((row, at) => {
      entries += separator + writer.row(row, times[at] ?? null);
      separator = writer.separator;
    });
    splicer?.learn(bytes, (at) => {
      const row = rows[at];
      return row && deployed.isShared(row) ? writer.frame?.end(row, times[at] ?? null) : undefined;
    });
    return { entries, count: rows.length };
  };
}
