import type { CheckSection } from '../deployments/gate/urls/check-urls.ts';
import type { DiffInput } from '../deployments/publish/versions/diff.ts';
import type { ExportFormat, ListScope } from '../expectations/list.ts';
import type { RunInput } from '../expectations/run.ts';
import type { WriteCounts, WriteInput } from '../expectations/write.ts';
import type { CountedReport, HitReport } from '../hits/reported/count-report.ts';
import type { Decided, FilterDecision } from '../moves/decide/decide-rows.ts';
import type { ImportRowsInput } from '../moves/decide/import-rows.ts';
import type { AppliedRule, ApplyRuleInput } from '../moves/rules/apply-rule.ts';
import type { StoredRule } from '../moves/rules/move-rules.ts';
import type { RowFilter } from '../moves/rows/row-filter.ts';
import type { UndoneSteps } from '../moves/decide/undo-steps.ts';
import type { Flattened, FlattenInput } from '../health/flatten.ts';
import type { Start as CheckStart } from '../checks/automatic/due-starts.ts';
import type { Check } from '../checks/check.ts';
import type { CreateInput as CreateCheckInput } from '../checks/create/create-check.ts';
import type { Claim as CheckClaim } from '../checks/run/claim-check.ts';
import type { Applied } from '../moves/apply/apply-decisions.ts';
import type { AppliedMove } from '../moves/apply/apply-move.ts';
import type { ApplyOptions } from '../moves/apply/decided-urls.ts';
import type { DecidePathsInput } from '../moves/apply/decide-not-found.ts';
import type { Claim } from '../moves/match/claim-move.ts';
import type { CreatedMove } from '../moves/create/create-move.ts';
import type { Move, MovePlace } from '../moves/move.ts';
import type { CountLostUrls } from '../notices/watch/lost-urls.ts';
import type { ExportInput } from '../redirects/export/export-redirects.ts';
import type { BulkParameters } from '../redirects/import/files/import-bulk.ts';
import type { FileImportInput, FileImportResult } from '../redirects/import/files/import-file.ts';
import type { FeedInput } from '../redirects/feed/stream-feed.ts';
import type { SyncCall } from '../redirects/import/sync/import-sync.ts';
import type { ImportResult } from '../redirects/import/engine/import-request.ts';
import type { DiscardInput } from '../redirects/undo/discard.ts';
import type { Reverted, Undone } from '../redirects/undo/undo-change.ts';
import type { BulkEffect, BulkUpdates } from '../redirects/write/bulk-plan.ts';
import type { DeletionEffect } from '../redirects/write/deletion-effect.ts';
import type { Selection } from '../redirects/write/selection.ts';
import type { AddInput, AddResult } from '../urls/add-urls.ts';
import type { CheckInput } from '../urls/check-website.ts';
import type { UrlSelection } from '../urls/delete-urls.ts';
import type { UrlExport } from '../urls/export-urls.ts';
import type { RestoreInput, Restored, UrlList } from '../urls/lists.ts';
import type { CountedLog, LogInput } from '../urls/logs/count-log.ts';
import type { ListedUrl, ListInput } from '../urls/list-urls.ts';
import type { SuggestedTargets, SuggestInput } from '../urls/suggest/suggest-targets.ts';
import type { PushInput, PushOptions, PushResult } from '../urls/push-list.ts';
import type { PartInput, StoredPart } from '../urls/uploads.ts';
import type { LearntRule } from '../suggestions/rules/write-rules.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { AddedHosts, RemovedHosts } from '../websites/change-hosts.ts';
import type { Environment } from '../vocabulary/environment.ts';

/** The surface whose wire format a response has: the session API or the key API. */
export type Surface = 'session' | 'key';

/** `isStandby`: the standby is fresh enough, so it is read first. */
export interface ReadInput {
  isStandby?: boolean;
}

/** An environment of a website, and the page of a list. */
export interface PageInput {
  websiteId: number;
  environment: Environment;
  cursor?: string | undefined;
}

/** The website, and the rules of HostRules as plain data. */
export interface AddHostsInput {
  websiteId: number;
  reserved: ReadonlySet<string>;
  needsProof: boolean;
}

/** The result of a sync; the changes and the checks of a dry run are fields of a JSON object as UTF-8. */
export type SyncOutput = Omit<ImportResult, 'changes' | 'check'> & { planned?: Uint8Array };

/** A check of the URLs of a website, and which of its rows the response has. */
export interface UrlCheckInput extends CheckInput {
  /** `json`: the first rows of each list, or a page of one; else all rows */
  format: 'json' | 'ndjson' | 'csv';
  section?: CheckSection | undefined;
  limit: number;
  cursor?: string | undefined;
  /** lost rows with suggested targets, from 0 */
  suggest: number;
}

/** A new move. The body is JSON in a file, or the text fields of a form with the paths of its files. */
export interface CreateMoveInput {
  websiteId: number;
  body:
    | { json: string }
    | {
        fields: Record<string, string>;
        files: { from: string | undefined; to: string | undefined };
        /** of each file, unpacked */
        maxBytes: number;
      };
}

/** The URLs to test, one or a list, and the rules to test them against. */
export interface TestInput extends RunInput {
  urls: string | string[];
  at: Date;
}

/**
 * The operations whose work grows with the number of rules. They run in a worker thread (src/jobs), so that this thread
 * answers visitors meanwhile. Errors are those of the operations, and INTERNAL_ERROR if the worker thread ends.
 */
export interface Jobs {
  importJson(actor: Actor, body: AsyncIterable<Buffer>): Promise<ImportResult>;
  importNdjson(actor: Actor, parameters: BulkParameters, body: AsyncIterable<Buffer>): Promise<ImportResult>;
  importFile(actor: Actor, input: FileImportInput): Promise<FileImportResult>;
  /** `body` is undefined if a file has the entries. */
  syncRedirects(actor: Actor, call: SyncCall, body?: AsyncIterable<Buffer>): Promise<SyncOutput>;
  /** The file in chunks. `isStandby`: the standby has the version, so it is read there. */
  exportRedirects(actor: Actor, input: ExportInput, isStandby?: boolean): AsyncGenerator<Buffer>;
  /** The lines of a feed in chunks. */
  streamFeed(actor: Actor, input: FeedInput): AsyncGenerator<Buffer>;
  /** The response body of the health report in chunks, for a surface. Waits at most `waitMs` for others. */
  healthReport(actor: Actor, input: PageInput & ReadInput, surface: Surface, waitMs: number): AsyncGenerator<Buffer>;
  flattenChains(actor: Actor, input: FlattenInput, waitMs: number): Promise<Flattened>;
  undoChange(actor: Actor, input: { changeId: string; dryRun: boolean }): Promise<Undone>;
  discardChanges(actor: Actor, input: DiscardInput): Promise<Reverted>;
  previewBulkUpdate(actor: Actor, input: { selection: Selection; updates: BulkUpdates }): Promise<BulkEffect>;
  previewBulkDelete(actor: Actor, input: { selection: Selection }): Promise<DeletionEffect>;
  /** The response body of a difference between versions in chunks, for a surface. */
  deploymentDiff(actor: Actor, input: DiffInput, surface: Surface): AsyncGenerator<Buffer>;
  /** Adds the hosts of a body to a website. */
  addHosts(actor: Actor, input: AddHostsInput, body: AsyncIterable<Buffer>): Promise<AddedHosts>;
  removeHosts(actor: Actor, input: { websiteId: number }, body: AsyncIterable<Buffer>): Promise<RemovedHosts>;
  writeExpectations(actor: Actor, input: WriteInput, body: AsyncIterable<Buffer>): Promise<WriteCounts>;
  /** The file in chunks. */
  exportExpectations(actor: Actor, input: ListScope & { format: ExportFormat }): AsyncGenerator<Buffer>;
  /** The response body of a test in chunks, for one URL or for a list. */
  testUrls(actor: Actor, input: TestInput, surface: Surface): AsyncGenerator<Buffer>;
  /** The response body of a run in chunks. */
  runExpectations(actor: Actor, input: RunInput): AsyncGenerator<Buffer>;
  pushUrls(actor: Actor, input: PushInput): Promise<PushResult>;
  addUrls(actor: Actor, input: AddInput): Promise<AddResult>;
  /** Counts a log, whose body is read as it arrives. */
  countLog(actor: Actor, input: LogInput, body: AsyncIterable<Buffer>): Promise<CountedLog>;
  addUrlPart(actor: Actor, input: PartInput): Promise<StoredPart>;
  commitUrlUpload(actor: Actor, input: PushOptions & { websiteId: number; uploadId: string }): Promise<PushResult>;
  listUrls(actor: Actor, input: ListInput & ReadInput): Promise<{ urls: ListedUrl[]; nextCursor: string | null }>;
  /** The file in chunks. */
  exportUrls(actor: Actor, input: UrlExport & ReadInput): AsyncGenerator<Buffer>;
  deleteUrls(actor: Actor, input: { websiteId: number; selection: UrlSelection }): Promise<number>;
  restoreUrls(actor: Actor, input: RestoreInput): Promise<Restored>;
  /** Fetches the sitemaps of a website. Returns their lists. */
  fetchUrls(actor: Actor, input: { websiteId: number }): Promise<UrlList[]>;
  /** Adds the URLs that rules name. Returns true if more wait. */
  addKnownUrls(): Promise<boolean>;
  /** The response body of a check of URLs in chunks. The first one comes when a body is read. */
  checkUrls(actor: Actor, input: UrlCheckInput): AsyncGenerator<Buffer>;
  countLostUrls: CountLostUrls;
  suggestTargets(actor: Actor, input: SuggestInput): Promise<SuggestedTargets>;
  decideMoveRows(actor: Actor, input: MovePlace & FilterDecision): Promise<Decided>;
  undoMoveSteps(actor: Actor, input: MovePlace & { steps: number }): Promise<UndoneSteps>;
  /** The file in chunks. */
  exportMoveRows(actor: Actor, input: MovePlace & RowFilter): AsyncGenerator<Buffer>;
  importMoveRows(actor: Actor, input: ImportRowsInput): Promise<Decided>;
  applyMove(actor: Actor, input: MovePlace & { options: ApplyOptions }): Promise<AppliedMove>;
  /** Decides about unmatched paths. */
  decideNotFound(actor: Actor, input: DecidePathsInput): Promise<Applied>;
  createMove(actor: Actor, input: CreateMoveInput): Promise<CreatedMove>;
  refreshMove(actor: Actor, input: MovePlace): Promise<Move>;
  /** Computes suggestions of a claimed move for some seconds. */
  matchMove(claim: Claim): Promise<void>;
  listMoveRules(actor: Actor, input: MovePlace): Promise<{ rules: LearntRule[]; stored: StoredRule[] }>;
  applyMoveRule(actor: Actor, input: ApplyRuleInput): Promise<AppliedRule>;
  removeMoveRule(actor: Actor, input: MovePlace & { pattern: string }): Promise<{ updated: number }>;
  createCheck(actor: Actor, input: CreateCheckInput): Promise<Check>;
  /** Starts a check by itself. Returns whether it did. */
  startCheck(actor: Actor, start: CheckStart): Promise<boolean>;
  /** Asks the targets of a claimed check that are due. Each chunk has answers as JSON (src/checks/run/run-check.ts). */
  runCheck(claim: CheckClaim): AsyncGenerator<Buffer>;
  /** Counts the hits of an agent of a website that the caller may reach; the body is that of surface A. */
  reportHits(input: Pick<HitReport, 'websiteId' | 'environment'>, body: AsyncIterable<Buffer>): Promise<CountedReport>;
}

export type JobName = keyof Jobs;

/** How each operation answers: with a result, with that of an import, which has a record, or with chunks. */
export const JOBS: Record<JobName, 'result' | 'import' | 'stream'> = {
  importJson: 'import',
  importNdjson: 'import',
  importFile: 'import',
  syncRedirects: 'import',
  exportRedirects: 'stream',
  streamFeed: 'stream',
  healthReport: 'stream',
  flattenChains: 'result',
  undoChange: 'result',
  discardChanges: 'result',
  previewBulkUpdate: 'result',
  previewBulkDelete: 'result',
  deploymentDiff: 'stream',
  addHosts: 'result',
  removeHosts: 'result',
  writeExpectations: 'result',
  exportExpectations: 'stream',
  testUrls: 'stream',
  runExpectations: 'stream',
  pushUrls: 'result',
  addUrls: 'result',
  countLog: 'result',
  addUrlPart: 'result',
  commitUrlUpload: 'result',
  listUrls: 'result',
  exportUrls: 'stream',
  deleteUrls: 'result',
  restoreUrls: 'result',
  fetchUrls: 'result',
  addKnownUrls: 'result',
  checkUrls: 'stream',
  countLostUrls: 'result',
  suggestTargets: 'result',
  decideMoveRows: 'result',
  undoMoveSteps: 'result',
  exportMoveRows: 'stream',
  importMoveRows: 'result',
  applyMove: 'import',
  decideNotFound: 'import',
  createMove: 'result',
  refreshMove: 'result',
  matchMove: 'result',
  listMoveRules: 'result',
  applyMoveRule: 'result',
  removeMoveRule: 'result',
  createCheck: 'result',
  startCheck: 'result',
  runCheck: 'stream',
  reportHits: 'result',
};
