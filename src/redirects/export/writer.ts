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
  tail: (head: ExportHead, count: number) => string;
}
