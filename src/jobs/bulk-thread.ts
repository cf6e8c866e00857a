/** The caller's side of the bulk thread. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Db } from '../db/client.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { PoolSizes } from '../db/pool-sizes.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import type { VisitorOptions } from '../hits/count/visitor.ts';
import { createReportMetrics } from '../hits/record/hit-metrics.ts';
import type { Jobs } from '../http/jobs.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { createJobThread, type JobThread, ThreadEndedError } from '../platform/jobs/thread.ts';
import { abandonImport } from '../redirects/import/engine/import-record.ts';
import type { Undone } from '../redirects/undo/undo-change.ts';
import type { BulkEffect } from '../redirects/write/bulk-plan.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { Flattened } from '../health/flatten.ts';
import type { BulkInputs, WithLive } from './bulk-jobs.ts';
import { type CountedImport, createImportMetrics } from './import-metrics.ts';

/** Imports hold some MiB each; a health report of 1,000,000 rules holds up to 200 MiB. */
const HEAP_MB = 1_024;

export interface BulkWorkerData {
  databaseUrl: string;
  instanceId: number;
  pools: PoolSizes['bulk'];
  /** for the hits that agents report */
  hits: VisitorOptions & { retentionDays: number };
}

/** A client waits no longer for the record of its failed import: the database may be away. */
const RECORD_WAIT_MS = 1_000;

const ENTRY = new URL('./bulk-worker.ts', import.meta.url);

/** Creates the thread, which starts at its first job. */
export function createBulkThread(
  workerData: BulkWorkerData,
  onError: (error: unknown) => void,
  entry = ENTRY,
): JobThread {
  return createJobThread({ name: 'bulk', entry, workerData, heapMb: HEAP_MB, onError });
}

export interface JobsDeps {
  thread: Pick<JobThread, 'run' | 'stream'>;
  db: Db;
  rulesets: Rulesets;
  clock: Clock;
  /** called after a job that may have stored an event */
  committed: () => void;
  metrics: Registry;
}

/** The live rules of each environment, in shared memory. */
function liveRules(rulesets: JobsDeps['rulesets'], websiteId: number): WithLive['live'] {
  return ENVIRONMENTS.flatMap((environment) => {
    const live = rulesets.live(websiteId, environment);
    if (!live || live.rules.version === 0) return [];
    const { ruleset, ...rules } = live.rules;
    return [{ environment, rules, shared: ruleset.share() }];
  });
}

/** Gives the operations to the bulk thread. */
export function createJobs({ thread, db, rulesets, clock, committed, metrics }: JobsDeps): Jobs {
  const countImport = createImportMetrics(metrics);
  const countReported = createReportMetrics(metrics);
  const run = <Name extends keyof BulkInputs, Output>(
    name: Name,
    input: BulkInputs[Name],
    body?: AsyncIterable<Buffer>,
  ): Promise<Output> => thread.run<Output>(name, input, body).catch(asInternalError);
  const stream = <Name extends keyof BulkInputs>(name: Name, input: BulkInputs[Name]): AsyncGenerator<Buffer> =>
    withInternalErrors(thread.stream(name, input));

  /** If the thread or its connections end, PostgreSQL rolls the import back. */
  async function runImport<Output>(actor: Actor, importId: string, work: () => Promise<Output>): Promise<Output> {
    try {
      return await work();
    } catch (error) {
      if (isThreadEnd(error) || isDatabaseUnavailable(error)) {
        const recorded = abandonImport(db, actor, importId).catch(() => {});
        await Promise.race([recorded, pause(RECORD_WAIT_MS)]);
      }
      throw error;
    }
  }

  const start = <Output extends CountedImport>(
    actor: Actor,
    job: (importId: string) => Promise<Output>,
    importId = newId('imp_'),
  ): Promise<Output> => countImport(runImport(actor, importId, () => job(importId)));

  const liveOf = (websiteId: number): WithLive['live'] => liveRules(rulesets, websiteId);

  return {
    importJson: (actor, body) => start(actor, (importId) => run('importJson', { actor, importId }, body)),
    importNdjson: (actor, parameters, body) =>
      start(actor, (importId) => run('importNdjson', { actor, importId, parameters }, body)),
    importFile: (actor, input) =>
      start(actor, (importId) => run('importFile', { actor, importId, input }), input.importId),
    syncRedirects: (actor, call, body) =>
      start(actor, (importId) => run('syncRedirects', { actor, importId, call }, body)),
    async *exportRedirects(actor, input) {
      yield* stream('exportRedirects', { actor, input, now: clock.now() });
      committed();
    },
    streamFeed: (actor, input) => stream('streamFeed', { actor, input }),
    healthReport: (actor, input, surface, waitMs) =>
      stream('healthReport', { actor, input, surface, waitMs, live: liveOf(input.websiteId) }),
    flattenChains: (actor, input, waitMs): Promise<Flattened> =>
      run('flattenChains', { actor, input, waitMs, live: liveOf(input.websiteId) }),
    undoChange: (actor, input): Promise<Undone> => run('undoChange', { actor, input }),
    previewBulkUpdate: (actor, input): Promise<BulkEffect> => run('previewBulkUpdate', { actor, input }),
    deploymentDiff: (actor, input, surface) => stream('deploymentDiff', { actor, input, surface }),
    addHosts: (actor, input, body) => run('addHosts', { actor, input }, body),
    removeHosts: (actor, input, body) => run('removeHosts', { actor, input }, body),
    writeExpectations: (actor, input, body) => run('writeExpectations', { actor, input }, body),
    exportExpectations: (actor, input) => stream('exportExpectations', { actor, input }),
    testUrls: (actor, input, surface) => stream('testUrls', { actor, input, surface, live: liveOf(input.websiteId) }),
    runExpectations: (actor, input) =>
      stream('runExpectations', { actor, input, live: liveOf(input.websiteId), now: clock.now() }),
    reportHits: (input, body) => countReported(run('reportHits', { input, now: clock.now() }, body)),
  };
}

const isThreadEnd = (error: unknown): boolean =>
  error instanceof DomainError && error.cause instanceof ThreadEndedError;

async function* withInternalErrors(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    asInternalError(error);
  }
}

function asInternalError(error: unknown): never {
  if (!(error instanceof ThreadEndedError)) throw error;
  const details = 'The service had to end this operation; check whether it was applied before you send it again';
  const shown = new DomainError('INTERNAL_ERROR', 'Internal error', { details });
  shown.cause = error;
  throw shown;
}
