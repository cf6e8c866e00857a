/** The input and the result of an import. */
import type { Db } from '../../../db/connection/client.ts';
import type { QueuedDeployment } from '../../../deployments/publish/queue.ts';
import type { CallDefaults, ConflictMode, ImportEntry, RowError } from '../../../rules/entry.ts';
import type { RevisionId } from '../../../websites/write-website.ts';
import type { SyncRules } from '../sync/merge-sync.ts';
import type { SyncChange } from '../sync/sync-plan.ts';
import type { OriginalRows } from '../verdicts/store-originals.ts';
import type { VerdictCounts } from '../verdicts/store-verdicts.ts';
import type { ErrorCounts } from './error-counts.ts';
import type { ImportSource } from './import-record.ts';
import type { ImportPermits } from '../../../platform/scheduling/import-permits.ts';

export interface ImportDeps {
  db: Db;
  permits: ImportPermits<Db>;
  /** instances.id of this process: if it crashes, its imports are marked as failed */
  instanceId: number;
}

/** One part of the input. */
export interface ImportBatch {
  rows: (ImportEntry | RowError)[];
  /** bytes of the input read so far, for the progress */
  bytes: number;
}

export interface ImportRequest {
  source: ImportSource;
  mode: ConflictMode;
  batches: AsyncIterable<ImportBatch>;
  /** of the import, possibly chosen by the caller; CONFLICT if it is taken */
  importId: string;
  /** if it is known before the body is read */
  websiteId?: number | undefined;
  /** as the client named the file */
  fileName?: string | undefined;
  /** the rows of a file, of which the invalid ones are stored */
  originals?: OriginalRows;
  /** a dry run with a readable verdict on each row (redirects/import/verdicts/read-verdicts.ts) */
  keepsRows?: boolean;
  /** Returns the target once every batch has been read: a bulk body may name it after its entries. */
  settle: () => Promise<ImportTarget>;
}

export interface ImportTarget {
  websiteId: number;
  dryRun: boolean;
  /** an invalid entry makes the import throw a validation error */
  isStrict?: boolean | undefined;
  /** defaults of the call that came too late to be staged with the entries */
  defaults?: CallDefaults;
  /** the redirects without an entry are deleted, and an invalid entry makes the import throw */
  sync?: SyncRules;
}

/** `revision` and `history`: of the website, afterwards. */
export interface ImportResult extends RevisionId {
  importId: string;
  total: number;
  created: number;
  updated: number;
  /** existing redirects that differ afterwards */
  changed: number;
  skipped: number;
  /** of a dry run: entries of `updated` or `skipped` whose redirect is already as they say; a sync counts them apart */
  unchanged?: number | undefined;
  /** by a sync */
  deleted: number;
  /** of a dry run of a sync */
  changes?: SyncChange[] | undefined;
  errorCount: number;
  errorCounts: ErrorCounts;
  /** the first 1,000 by line */
  errors: RowError[];
  processingSeconds: number;
  deployments: QueuedDeployment[];
  /** null for a dry run, and if nothing changed */
  changeId: string | null;
  /** rows by verdict, if the request keeps them */
  verdicts?: VerdictCounts;
}
