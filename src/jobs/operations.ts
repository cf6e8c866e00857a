/** The operations of the bulk thread: their types, and what they need. */
import type { Db } from '../db/connection/client.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import type { DeploymentDiff } from '../deployments/publish/versions/diff.ts';
import type { siteAgainst } from '../deployments/publish/rules-against.ts';
import type { HealthReport } from '../health/report.ts';
import type { HitReport, ReportCounter } from '../hits/reported/count-report.ts';
import type { CreateMoveInput, Jobs, JobName, Surface, TestInput, UrlCheckInput } from '../http/jobs.ts';
import type { RunDeps } from '../checks/run/run-check.ts';
import type { CreateInput } from '../moves/create/create-move.ts';
import type { Reads } from '../http/reads.ts';
import type { importJson } from '../redirects/import/files/import-bulk.ts';
import type { SyncChange, SyncCheck } from '../redirects/import/engine/import-request.ts';
import type { WebsiteCheck } from '../urls/check-website.ts';
import type { Downloads } from '../urls/download.ts';
import type { LogDeps } from '../urls/logs/count-log.ts';
import type { suggesterOf } from '../urls/suggest/suggest-targets.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { addHosts } from '../websites/change-hosts.ts';
import type { Shared } from './messages.ts';

export type Text = AsyncIterable<string | Buffer>;

/** Reads and writes the bodies of the jobs. */
export interface JobWire {
  readHitReport(body: AsyncIterable<Buffer>): Promise<Omit<HitReport, 'websiteId' | 'environment'>>;
  readAddedHosts(
    body: AsyncIterable<Buffer>,
    isReserved: (host: string) => boolean,
  ): Promise<Parameters<typeof addHosts>[3]>;
  readRemovedHosts(body: AsyncIterable<Buffer>): Promise<string[]>;
  syncPlanJson(changes: SyncChange[], check: SyncCheck): Buffer;
  diffJson(diff: DeploymentDiff, surface: Surface): Text;
  healthJson(report: HealthReport, surface: Surface): Text;
  urlCheckText(found: CheckedUrls, input: UrlCheckInput, startedAt: number): Text;
  readMove(body: CreateMoveInput['body']): Promise<Omit<CreateInput, 'websiteId'>>;
  testedJson(db: Db, tested: Awaited<ReturnType<typeof siteAgainst>>, input: TestInput, surface: Surface): Text;
}

/** A check with what its response reads more. */
export interface CheckedUrls extends WebsiteCheck {
  db: Db;
  suggest: Awaited<ReturnType<typeof suggesterOf>>;
}

export interface BulkJobsDeps {
  db: Db;
  /** for exports and reports, which hold a connection until their end */
  streams: Db;
  /** for exports that may use a standby */
  reads: Reads;
  /** for imports, see createImportPermits */
  imports: Db;
  /** instances.id of the process */
  instanceId: number;
  countReport: ReportCounter;
  logs: Omit<LogDeps, 'db'>;
  /** of sitemaps */
  downloads: Downloads;
  checks: RunDeps;
  wire: JobWire;
}

/** A call as a message. */
export interface JobCall {
  /** the arguments of the operation of `Jobs`, without the body */
  args: unknown[];
  now: Date;
  /** of an import */
  importId: string;
  /** the rules that the process serves for the website, in shared memory; empty if the job does not compare them */
  live: { environment: Environment; rules: Shared<LiveRules> }[];
}

export type ImportDeps = Parameters<typeof importJson>[0];

/** The operations of `Jobs` in the thread: those that stream may give text. */
export type Operations = {
  [Name in JobName]: (
    ...args: Required<Parameters<Jobs[Name]>>
  ) => ReturnType<Jobs[Name]> extends Promise<unknown> ? ReturnType<Jobs[Name]> : Text | Promise<Text>;
};
