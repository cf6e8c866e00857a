/** The jobs of the bulk thread, by name: imports, exports and reports over all rules of a website. */
import type { Db } from '../db/client.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import { type DiffInput, diffVersions } from '../deployments/publish/diff.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import { exportExpectations, type ExportFormat, type ListScope } from '../expectations/list.ts';
import { runJson, type RunInput } from '../expectations/run.ts';
import { writeExpectations, type WriteInput } from '../expectations/write.ts';
import { flattenChains } from '../health/flatten.ts';
import type { LiveRulesOf } from '../health/current-rules.ts';
import { reportHealth } from '../health/report.ts';
import type { HitReport, ReportCounter } from '../hits/reported/count-report.ts';
import type { AddHostsInput, PageInput, Surface, SyncOutput, TestInput } from '../http/jobs.ts';
import type { JobContext, JobHandler } from '../platform/jobs/serve.ts';
import { type FeedInput, streamFeed } from '../redirects/feed/stream-feed.ts';
import { exportRedirects, type ExportInput } from '../redirects/export/export-redirects.ts';
import { type BulkParameters, importJson, importNdjson } from '../redirects/import/files/import-bulk.ts';
import { type FileImportInput, importFile } from '../redirects/import/files/import-file.ts';
import { importSync, type SyncCall } from '../redirects/import/sync/import-sync.ts';
import { createImportPermits } from '../platform/import-permits.ts';
import { undoChange } from '../redirects/undo/undo-change.ts';
import type { BulkUpdates } from '../redirects/write/bulk-plan.ts';
import { previewBulkUpdate } from '../redirects/write/preview-bulk.ts';
import type { Selection } from '../redirects/write/selection.ts';
import { openRuleset, type SharedRuleset } from '../resolver/ruleset.ts';
import { readAddedHosts, readRemovedHosts } from '../surfaces/key-api/hosts-wire.ts';
import { readHitReport } from '../surfaces/key-api/hits-wire.ts';
import { syncChangesJson } from '../surfaces/key-api/sync-wire.ts';
import { diffJson } from '../surfaces/resources/deployment-diff.ts';
import { keyDialect, sessionDialect } from '../surfaces/resources/dialect.ts';
import { healthJson } from '../surfaces/resources/health-report.ts';
import { testedJson } from '../surfaces/resources/redirects/resolved-urls.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { addHosts, removeHosts } from '../websites/change-hosts.ts';

export interface BulkJobsDeps {
  db: Db;
  /** for exports and reports, which hold a connection until their end */
  streams: Db;
  /** for imports, see createImportPermits */
  imports: Db;
  /** instances.id of the process */
  instanceId: number;
  /** counts the hits that agents report */
  countReport: ReportCounter;
}

export interface ByActor {
  actor: Actor;
}

/** The rules that the process serves for a website, in shared memory. */
export interface WithLive {
  live: { environment: Environment; rules: Omit<LiveRules, 'ruleset'>; shared: SharedRuleset }[];
}

/** The inputs of the jobs. */
export interface BulkInputs {
  importJson: ByActor & { importId: string };
  importNdjson: ByActor & { importId: string; parameters: BulkParameters };
  importFile: ByActor & { importId: string; input: FileImportInput };
  syncRedirects: ByActor & { importId: string; call: SyncCall };
  exportRedirects: ByActor & { input: ExportInput; now: Date };
  streamFeed: ByActor & { input: FeedInput };
  healthReport: ByActor & WithLive & { input: PageInput; surface: Surface; waitMs: number };
  flattenChains: ByActor &
    WithLive & { input: { websiteId: number; environment: Environment; dryRun: boolean }; waitMs: number };
  undoChange: ByActor & { input: { changeId: string; dryRun: boolean } };
  previewBulkUpdate: ByActor & { input: { selection: Selection; updates: BulkUpdates } };
  deploymentDiff: ByActor & { input: DiffInput; surface: Surface };
  addHosts: ByActor & { input: AddHostsInput };
  removeHosts: ByActor & { input: { websiteId: number } };
  writeExpectations: ByActor & { input: WriteInput };
  exportExpectations: ByActor & { input: ListScope & { format: ExportFormat } };
  testUrls: ByActor & WithLive & { input: TestInput; surface: Surface };
  runExpectations: ByActor & WithLive & { input: RunInput; now: Date };
  reportHits: { input: Pick<HitReport, 'websiteId' | 'environment'>; now: Date };
}

export type BulkHandlers = { [Name in keyof BulkInputs]: JobHandler<BulkInputs[Name], unknown> };

export function bulkJobs({ db, streams, imports, instanceId, countReport }: BulkJobsDeps): BulkHandlers {
  const permits = createImportPermits(imports);
  const importDeps = { db, instanceId, permits };
  return {
    importJson: ({ actor, importId }, { body }) => importJson(importDeps, actor, importId, body),
    importNdjson: ({ actor, importId, parameters }, { body }) =>
      importNdjson(importDeps, actor, importId, parameters, body),
    importFile: ({ actor, importId, input }) => importFile(importDeps, actor, importId, input),
    async syncRedirects({ actor, importId, call }, { body }): Promise<SyncOutput> {
      const { changes, ...result } = await importSync(importDeps, actor, importId, call, body);
      return { ...result, ...(changes && { changes: syncChangesJson(changes) }) };
    },
    exportRedirects: ({ actor, input, now }, context) =>
      sendAll(exportRedirects({ db, streams }, actor, input, now), context),
    streamFeed: ({ actor, input }, context) => sendAll(streamFeed(streams, actor, input), context),
    async healthReport({ actor, input, surface, live, waitMs }, context) {
      const report = await reportHealth({ db: streams, live: liveRules(live) }, actor, input, waitMs);
      await sendAll(healthJson(report, dialectOf(surface)), context);
    },
    flattenChains: ({ actor, input, live, waitMs }) =>
      flattenChains({ db: streams, writes: db, live: liveRules(live) }, actor, input, waitMs),
    undoChange: ({ actor, input }) => undoChange(importDeps, actor, input),
    previewBulkUpdate: ({ actor, input }) => previewBulkUpdate(streams, actor, input),
    async deploymentDiff({ actor, input, surface }, context) {
      const diff = await diffVersions(streams, actor, input);
      await sendAll(diffJson(diff, dialectOf(surface)), context);
    },
    async addHosts({ actor, input: { websiteId, reserved, needsProof } }, { body }) {
      const hosts = await readAddedHosts(body, (host) => reserved.has(host));
      return addHosts(db, actor, websiteId, hosts, { needsProof });
    },
    removeHosts: async ({ actor, input }, { body }) =>
      removeHosts(db, actor, input.websiteId, await readRemovedHosts(body)),
    writeExpectations: ({ actor, input }, { body }) =>
      writeExpectations({ db, permits, instanceId }, actor, input, body),
    exportExpectations: ({ actor, input }, context) => sendAll(exportExpectations(streams, actor, input), context),
    async testUrls({ actor, input, surface, live }, context) {
      const rules = liveRules(live)(input.websiteId, input.environment);
      const tested = await siteAgainst(streams, actor, input, rules);
      await sendAll(testedJson(tested, input, dialectOf(surface)), context);
    },
    runExpectations({ actor, input, live, now }, context) {
      const rules = liveRules(live)(input.websiteId, input.environment);
      return sendAll(runJson(streams, actor, input, { live: rules, now }), context);
    },
    reportHits: async ({ input, now }, { body }) => countReport({ ...input, ...(await readHitReport(body)) }, now),
  };
}

const dialectOf = (surface: Surface) => (surface === 'key' ? keyDialect : sessionDialect);

function liveRules(live: WithLive['live']): LiveRulesOf {
  return (_websiteId, environment) => {
    const found = live.find((each) => each.environment === environment);
    return found && { ...found.rules, ruleset: openRuleset(found.shared) };
  };
}

/** Sends text as UTF-8. A cancelled job ends its generator, which releases its connection. */
async function sendAll(chunks: AsyncIterable<string | Buffer>, { send }: JobContext): Promise<void> {
  for await (const chunk of chunks) await send(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
}
