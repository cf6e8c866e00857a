import type { Environment } from '../../vocabulary/environment.ts';

/** Numbers stay texts, as PostgreSQL writes them. */
export interface ExportedRow {
  id: string;
  oldPath: string;
  newPath: string | null;
  statusCode: string;
  isRegex: boolean;
  groupId: string | null;
  notes: string | null;
  /** the revision of the last change; in a version, the one that ended the rule, or 0 */
  rev: string;
  /** revisions since which it is targeted, as `production staging development`; 0 if it is not */
  targets: string;
  /** the targeted environments; rows with the same targets may share the array */
  environments: readonly Environment[];
  /** `YYYY-MM-DDThh:mm:ssZ`; null if unknown: a rule that was deleted before this was stored */
  createdAt: string | null;
  /** in the same form */
  activeFrom: string | null;
  activeUntil: string | null;
}

/** `YYYY-MM-DDThh:mm:ssZ`, or null if no production rule of the redirect is live. */
export type DeployedToProd = string | null;

/** The text around the first fields of an entry, its separator included: for the fast path (splice.ts). */
export interface Frame {
  beforeId: string;
  beforeOldPath: string;
  beforeNewPath: string;
  /** the end also depends on the host of the target, so rows with one take the slow path */
  isEndByHost: boolean;
}

export interface EntryFrame extends Frame {
  endOf: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
}

export interface ExportHead {
  exportId: string;
  website: { id: number; name: string };
  filters: Record<string, unknown>;
  /** the exported version; undefined: the current redirects */
  of: { environment: Environment; version: number } | undefined;
  /** time of the snapshot, `YYYY-MM-DDThh:mm:ssZ` */
  exportedAt: string;
}

export interface LosslessFormat {
  head: (head: ExportHead) => string;
  entry: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
  separator: string;
  /** the fixed text of an entry; a format without it has no fast path */
  frame?: EntryFrame;
  tail: (head: ExportHead, count: number) => string;
}
