import type { Website } from '../../websites/website.ts';
import type { DeployedToProd } from './deployed-to-prod.ts';
import type { ExportedRow } from './rows.ts';

/** What stands in an export besides its redirects. */
export interface ExportHead {
  exportId: string;
  website: Website;
  filters: { group_id?: string };
  /** `YYYY-MM-DDThh:mm:ssZ`: the time of the snapshot */
  exportedAt: string;
}

/** A format that keeps everything: how a file of it begins, what a row becomes, and how it ends. */
export interface LosslessWriter {
  head: (head: ExportHead) => string;
  row: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
  separator: string;
  /** what stands around the first cells of an entry, where it can be put together from bytes */
  frame?: EntryFrame;
  tail: (head: ExportHead, count: number) => string;
}

/** `{"id":"` 7 `","old_path":"` /a `","new_path":` "/b" and the end, which most entries have in common. */
export interface EntryFrame {
  beforeId: string;
  beforeOldPath: string;
  beforeNewPath: string;
  end: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
}
