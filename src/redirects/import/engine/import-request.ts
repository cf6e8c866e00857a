/** The input and the result of an import. */
import type { PoolClient } from 'pg';
import type { Db, Queryable } from '../../../db/connection/client.ts';
import type { DeploymentWarning } from '../../../db/schema/deployments.ts';
import type { GateReport } from '../../../deployments/gate/run-gates.ts';
import type { AutomaticDeployments } from '../../../deployments/publish/queue.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import type { CallDefaults, ConflictMode, ImportEntry, RowError } from '../../../rules/entry.ts';
import type { LockedWebsite, RevisionId } from '../../../websites/write-website.ts';
import type { RedirectFields } from '../../rule/redirect.ts';
import type { ErrorCounts } from './error-counts.ts';
import type { ErrorLog } from './error-log.ts';
import type { ImportSource } from './import-record.ts';
import type { EntryPlace } from './invalid-entries.ts';
import type { MergeResult } from './merge.ts';
import type { Stage } from './stage.ts';
import type { ImportPermits } from '../../../platform/scheduling/import-permits.ts';
import type { Verdict } from '../../../vocabulary/import/verdict.ts';

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
  /** Called with the errors once the import is applied. Its failure changes nothing. */
  complete?: (errors: ErrorLog) => Promise<void>;
  /** Stores the verdict on each row of a dry run, and returns how many rows have which. */
  keepRows?: ((tx: Queryable, run: DryRun) => Promise<VerdictCounts>) | undefined;
  /** Returns the target once every batch has been read: a bulk body may name it after its entries. */
  settle: () => Promise<ImportTarget>;
}

export type VerdictCounts = Record<Verdict, number>;

export interface DryRun {
  importId: string;
  websiteId: number;
  /** name of the staging table after the merge */
  stage: string;
  mode: ConflictMode;
}

/** The steps of a sync that an import has not. The connections are those of mergeStage. */
export interface SyncSteps {
  place: EntryPlace;
  /** Adds the errors that the stage shows before the merge. */
  addErrors(reader: PoolClient, stage: Stage, errors: ErrorLog): Promise<void>;
  /** Merges in place of mergeStage. */
  merge(client: PoolClient, reader: PoolClient, website: LockedWebsite, input: SyncInput): Promise<SyncResult>;
}

export interface SyncInput {
  stage: Stage;
  dryRun: boolean;
  errors: ErrorLog;
  /** Throws if an entry is invalid. */
  assertValid: () => Promise<void>;
}

export interface SyncResult extends MergeResult {
  unchanged: number;
  deleted: number;
  cleared: Record<string, number>;
  /** of a dry run */
  changes?: SyncChange[];
  check?: SyncCheck;
}

export interface SyncChange {
  kind: 'create' | 'update' | 'delete';
  oldPath: string;
  before: RedirectFields | null;
  after: RedirectFields | null;
}

/** Findings of a deployment after a sync. */
export interface SyncCheck {
  /** every loop of each environment, as the warnings of its deployment */
  loops: (DeploymentWarning & { environment: Environment })[];
  /** of each environment with a gate */
  gate: (GateReport & { environment: Environment })[];
}

export interface ImportTarget {
  websiteId: number;
  dryRun: boolean;
  /** an invalid entry makes the import throw a validation error */
  isStrict?: boolean | undefined;
  /** Throws if the website is not as the caller expects it. */
  assertFound?: (found: RevisionId) => void;
  /**
   * Writes what belongs to the import, in its transaction; not called by a dry run. `changeId`: null without a change.
   * `invalid`: the first 1,000 invalid entries.
   */
  alongside?: (tx: Queryable, changeId: string | null, invalid: RowError[]) => Promise<void>;
  /** defaults of the call that came too late to be staged with the entries */
  defaults?: CallDefaults;
  /** the redirects without an entry are deleted, and an invalid entry makes the import throw */
  sync?: SyncSteps;
}

/** `revision` and `history`: of the website, afterwards. */
export interface ImportResult extends RevisionId, AutomaticDeployments {
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
  /** by a sync: by field, the redirects whose value is replaced by the default because their entry has none */
  cleared?: Record<string, number>;
  /** of a dry run of a sync */
  changes?: SyncChange[] | undefined;
  check?: SyncCheck | undefined;
  errorCount: number;
  errorCounts: ErrorCounts;
  /** the first 1,000 by line */
  errors: RowError[];
  processingSeconds: number;
  /** null for a dry run, and if nothing changed */
  changeId: string | null;
  /** rows by verdict, if the request keeps them */
  verdicts?: VerdictCounts;
}
