/** Turns chunks of rows into entries of a lossless format, on the fast path (splice.ts) or row by row. */
import type { Environment } from '../../vocabulary/environment.ts';
import type { Website } from '../../websites/website.ts';
import type { DeployedTimesReader, DeployedToProd } from './deployed-to-prod.ts';
import { createRowReader, type ExportedRow } from './rows.ts';
import { createSplicer, type Entries, type EntryFrame } from '../../formats/write/splice.ts';

export interface ExportHead {
  exportId: string;
  website: Website;
  filters: Record<string, unknown>;
  /** the exported version; undefined: the current redirects */
  of: { environment: Environment; version: number } | undefined;
  /** time of the snapshot, `YYYY-MM-DDThh:mm:ssZ` */
  exportedAt: string;
}

/** A format with every field of every redirect. */
export interface LosslessFormat {
  head: (head: ExportHead) => string;
  entry: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
  separator: string;
  /** the fixed text of an entry; a format without it has no fast path */
  frame?: EntryFrame;
  tail: (head: ExportHead, count: number) => string;
}

/**
 * Returns a function for the chunks of one export, in order. A chunk that the fast path cannot process is converted row
 * by row, and teaches the fast path its ends; the first chunk always is.
 */
export function createEntryWriter(
  format: LosslessFormat,
  deployed: DeployedTimesReader,
): (chunk: Buffer) => Promise<Entries> {
  const { frame } = format;
  const splicer = frame && createSplicer(frame);
  const readRows = createRowReader();
  let separator = '';
  return async (chunk) => {
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
