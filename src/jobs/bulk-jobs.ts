/** The jobs of the bulk thread: imports, exports and reports over all rules of a website. */
import { diffVersions } from '../deployments/publish/versions/diff.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import { exportExpectations } from '../expectations/list.ts';
import { runJson } from '../expectations/run.ts';
import { writeExpectations } from '../expectations/write.ts';
import { flattenChains } from '../health/flatten.ts';
import type { LiveRulesOf } from '../health/current-rules.ts';
import { reportHealth } from '../health/report.ts';
import { JOBS, type JobName } from '../http/jobs.ts';
import { createCheck } from '../checks/create/create-check.ts';
import { startCheck } from '../checks/automatic/start-check.ts';
import { runCheck } from '../checks/run/run-check.ts';
import { applyMove } from '../moves/apply/apply-move.ts';
import { decideNotFound } from '../moves/apply/decide-not-found.ts';
import { createMove, refreshMove } from '../moves/create/create-move.ts';
import { matchMove } from '../moves/match/match-move.ts';
import { createKeyedSemaphore } from '../platform/scheduling/semaphore.ts';
import { decideFiltered } from '../moves/decide/decide-rows.ts';
import { exportRows } from '../moves/rows/export-rows.ts';
import { importRows } from '../moves/decide/import-rows.ts';
import { applyMoveRule } from '../moves/rules/apply-rule.ts';
import { listMoveRules, removeMoveRule } from '../moves/rules/move-rules.ts';
import { undoSteps } from '../moves/decide/undo-steps.ts';
import { createPrecedence, type Precedence } from '../platform/scheduling/precedence.ts';
import { createImportPermits } from '../platform/scheduling/import-permits.ts';
import type { JobContext, JobHandlers } from '../platform/jobs/serve.ts';
import { streamFeed } from '../redirects/feed/stream-feed.ts';
import { exportRedirects } from '../redirects/export/export-redirects.ts';
import { importJson, importNdjson } from '../redirects/import/files/import-bulk.ts';
import { importFile } from '../redirects/import/files/import-file.ts';
import { importSync } from '../redirects/import/sync/import-sync.ts';
import { discardChanges } from '../redirects/undo/discard.ts';
import { undoChange } from '../redirects/undo/undo-change.ts';
import { previewBulkUpdate } from '../redirects/write/bulk-plan.ts';
import { previewBulkDelete } from '../redirects/write/deletion-effect.ts';
import { countLog } from '../urls/logs/count-log.ts';
import { createIndexCache, type IndexCache } from '../urls/suggest/index-cache.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { addHosts, removeHosts } from '../websites/change-hosts.ts';
import { fromMessage } from './messages.ts';
import { urlOperations } from './url-jobs.ts';
import type { Text, BulkJobsDeps, JobCall, ImportDeps, Operations } from './operations.ts';

/** Jobs that no request waits for. */
const BACKGROUND = new Set<JobName>(['addKnownUrls', 'countLostUrls', 'matchMove', 'runCheck', 'startCheck']);

export function bulkJobs(deps: BulkJobsDeps): JobHandlers {
  const indexes = createIndexCache();
  const precedence = createPrecedence();
  const importDeps = { db: deps.db, instanceId: deps.instanceId, permits: createImportPermits(deps.imports) };
  const handle = async (name: JobName, { args, ...call }: JobCall, { body, send }: JobContext): Promise<unknown> => {
    const shared = { ...deps, indexes, precedence };
    const operation: (...args: never[]) => unknown = operations(shared, importDeps, call)[name];
    const run = async (): Promise<unknown> => operation(...(args as never[]), body as never);
    const result = await (BACKGROUND.has(name) ? run() : precedence.run(run));
    if (JOBS[name] !== 'stream') return result;
    // A cancelled job ends its generator, which releases its connection.
    for await (const chunk of result as Text) await send(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return undefined;
  };
  const names = Object.keys(JOBS) as JobName[];
  return Object.fromEntries(
    names.map((name) => [name, (call: JobCall, context: JobContext) => handle(name, call, context)]),
  );
}

function operations(
  deps: BulkJobsDeps & { indexes: IndexCache; precedence: Precedence },
  importDeps: ImportDeps,
  { importId, now, live }: Omit<JobCall, 'args'>,
): Operations {
  const { db, streams, reads, wire } = deps;
  const rulesOf = liveRules(live);
  const liveAt = (at: { websiteId: number; environment: Environment }) => rulesOf(at.websiteId, at.environment);
  return {
    importJson: (actor, body) => importJson(importDeps, actor, importId, body),
    importNdjson: (actor, parameters, body) => importNdjson(importDeps, actor, importId, parameters, body),
    importFile: (actor, input) => importFile(importDeps, actor, importId, input),
    async syncRedirects(actor, call, body) {
      const context = { live: rulesOf, now };
      const { changes, check, ...result } = await importSync(importDeps, actor, importId, call, body, context);
      return { ...result, ...(changes && check && { planned: wire.syncPlanJson(changes, check) }) };
    },
    exportRedirects: (actor, input, isStandby) =>
      reads.stream(isStandby ? 0 : undefined, (_, from) => exportRedirects({ ...from, events: db }, actor, input, now)),
    streamFeed: (actor, input) => streamFeed(streams, actor, input),
    async healthReport(actor, { isStandby, ...input }, surface, waitMs) {
      const report = await reads.read(isStandby ? 0 : undefined, (_, from) =>
        reportHealth({ db: from.streams, live: rulesOf }, actor, input, waitMs),
      );
      return wire.healthJson(report, surface);
    },
    flattenChains: (actor, input, waitMs) =>
      flattenChains({ db: streams, writes: db, live: rulesOf }, actor, input, waitMs),
    undoChange: (actor, input) => undoChange(importDeps, actor, input),
    discardChanges: (actor, input) => discardChanges(importDeps, actor, input),
    previewBulkUpdate: (actor, input) => previewBulkUpdate(streams, actor, input),
    previewBulkDelete: (actor, input) => previewBulkDelete(streams, actor, { ...input, now }),
    deploymentDiff: async (actor, input, surface) => wire.diffJson(await diffVersions(streams, actor, input), surface),
    async addHosts(actor, { websiteId, reserved, needsProof }, body) {
      const hosts = await wire.readAddedHosts(body, (host) => reserved.has(host));
      return addHosts(db, actor, websiteId, hosts, { needsProof });
    },
    removeHosts: async (actor, { websiteId }, body) =>
      removeHosts(db, actor, websiteId, await wire.readRemovedHosts(body)),
    writeExpectations: (actor, input, body) => writeExpectations(importDeps, actor, input, body),
    exportExpectations: (actor, input) => exportExpectations(streams, actor, input),
    testUrls: async (actor, input, surface) =>
      wire.testedJson(streams, await siteAgainst(streams, actor, input, liveAt(input)), input, surface),
    runExpectations: (actor, input) =>
      runJson(streams, actor, input, {
        live: rulesOf(input.websiteId, input.againstEnvironment ?? input.environment),
        now,
      }),
    ...urlOperations(deps, importDeps, now, rulesOf),
    ...checkOperations(deps, now, rulesOf),
    ...moveOperations(deps, importDeps, { importId, now }, rulesOf),
    ...hitOperations(deps, now, rulesOf),
  };
}

function hitOperations(
  { db, countReport, logs, wire }: BulkJobsDeps,
  now: Date,
  rulesOf: LiveRulesOf,
): Pick<Operations, 'reportHits' | 'countLog'> {
  return {
    reportHits: async (input, body) => countReport({ ...input, ...(await wire.readHitReport(body)) }, now),
    countLog: (actor, input, body) =>
      countLog({ db, ...logs }, actor, input, body, {
        liveOf: (environment) => rulesOf(input.websiteId, environment),
        now,
      }),
  };
}

/** One at a time: the pool has few connections, and those that run checks must not wait. */
const inStaging = createKeyedSemaphore<'staging'>(1);

function checkOperations(
  { db, checks }: BulkJobsDeps,
  now: Date,
  rulesOf: LiveRulesOf,
): Pick<Operations, 'createCheck' | 'startCheck' | 'runCheck'> {
  return {
    createCheck: (actor, input) =>
      inStaging('staging', () =>
        createCheck(db, actor, input, { live: rulesOf(input.websiteId, input.environment), now }),
      ),
    startCheck: (actor, start) =>
      inStaging('staging', () =>
        startCheck(db, actor, start, { live: rulesOf(start.websiteId, start.environment), now }),
      ),
    async *runCheck(claim) {
      for await (const answers of runCheck(checks, claim)) yield JSON.stringify(answers);
    },
  };
}

function moveOperations(
  { db, streams, wire, indexes }: BulkJobsDeps & { indexes: IndexCache },
  importDeps: ImportDeps,
  { importId, now }: Pick<JobCall, 'importId' | 'now'>,
  rulesOf: LiveRulesOf,
): Pick<Operations, Extract<JobName, `${string}Move${string}`> | 'decideNotFound'> {
  return {
    applyMove: (actor, input) => applyMove(importDeps, actor, importId, input, { live: rulesOf, now }),
    decideNotFound: (actor, input) =>
      decideNotFound({ ...importDeps, indexes }, actor, importId, input, { live: rulesOf, now }),
    decideMoveRows: (actor, input) => decideFiltered(db, actor, input),
    undoMoveSteps: (actor, input) => undoSteps(db, actor, input),
    exportMoveRows: (actor, input) => exportRows(streams, actor, input),
    importMoveRows: (actor, input) => importRows(importDeps, actor, input),
    listMoveRules: (actor, input) => listMoveRules({ ...importDeps, streams }, actor, input),
    applyMoveRule: (actor, input) => applyMoveRule({ ...importDeps, streams }, actor, input),
    removeMoveRule: (actor, input) => removeMoveRule(db, actor, input),
    createMove: async (actor, { websiteId, body }) => {
      const input = { websiteId, ...(await wire.readMove(body)) };
      const environment = input.filter?.environment ?? 'production';
      return createMove({ ...importDeps, streams }, actor, input, { live: rulesOf(websiteId, environment), now });
    },
    refreshMove: (actor, place) =>
      refreshMove({ ...importDeps, streams }, actor, place, { live: rulesOf(place.websiteId, 'production'), now }),
    matchMove: (claim) => matchMove({ db, streams, indexes }, claim),
  };
}

function liveRules(live: JobCall['live']): LiveRulesOf {
  return (_websiteId, environment) => {
    const found = live.find((each) => each.environment === environment);
    return found && fromMessage(found.rules);
  };
}
