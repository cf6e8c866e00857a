/** The caller's side of the bulk thread. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Db } from '../db/connection/client.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { PoolSizes } from '../db/connection/pool-sizes.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import type { VisitorOptions } from '../hits/count/visitor.ts';
import { createReportMetrics } from '../hits/record/hit-metrics.ts';
import { type JobName, JOBS, type Jobs } from '../http/jobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { Egress } from '../platform/network/egress.ts';
import { newId } from '../platform/ids.ts';
import { createJobThread, type JobThread, ThreadEndedError } from '../platform/jobs/thread.ts';
import { abandonImport } from '../redirects/import/engine/import-record.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { JobCall } from './operations.ts';
import { type CountedImport, createImportMetrics } from './import-metrics.ts';
import { toMessage } from './messages.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

/** Imports hold some MiB each; a health report of 1,000,000 rules holds up to 200 MiB. */
const HEAP_MB = 1_024;

export interface BulkWorkerData {
  databaseUrl: DatabaseUrl;
  /** of a standby */
  readUrl: string | null;
  instanceId: number;
  pools: PoolSizes['bulk'];
  hits: VisitorOptions & { retentionDays: number };
  /** of downloads of sitemaps */
  egress: Egress;
  /** of live checks */
  checks: { egress: Egress; publicUrl: string };
}

/** A client waits no longer for the record of its failed import: the database may be away. */
const RECORD_WAIT_MS = 1_000;

/** Creates the thread, which starts at its first job. `entry` is the module that serves `bulkJobs`. */
export function createBulkThread(workerData: BulkWorkerData, onError: (error: unknown) => void, entry: URL): JobThread {
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

const ON_LIVE_RULES = new Set<JobName>([
  'healthReport',
  'flattenChains',
  'testUrls',
  'runExpectations',
  'syncRedirects',
  'countLog',
  'listUrls',
  'exportUrls',
  'checkUrls',
  'countLostUrls',
  'suggestTargets',
  'createMove',
  'refreshMove',
  'applyMove',
  'decideNotFound',
  'createCheck',
  'startCheck',
]);

/** Gives the operations to the bulk thread. */
export function createJobs({ thread, db, rulesets, clock, committed, metrics }: JobsDeps): Jobs {
  const countImport = createImportMetrics(metrics);
  const countReported = createReportMetrics(metrics);

  /** `args` are those of the operation; an import may be registered already. */
  function callOf(name: JobName, args: unknown[]): JobCall {
    const input = args[1] as { websiteId: number; importId?: string } | undefined;
    return {
      args: args.filter((arg) => arg !== undefined && !isBody(arg)),
      now: clock.now(),
      importId: input?.importId ?? newId('imp_'),
      live: input && ON_LIVE_RULES.has(name) ? liveRules(rulesets, input.websiteId) : [],
    };
  }

  const run = <Output>(name: JobName, args: unknown[], call = callOf(name, args)): Promise<Output> =>
    thread.run<Output>(name, call, args.find(isBody)).catch(asInternalError);

  /** If the thread or its connections end, PostgreSQL rolls the import back. */
  async function runImport<Output>(name: JobName, args: unknown[]): Promise<Output> {
    const call = callOf(name, args);
    try {
      return await run<Output>(name, args, call);
    } catch (error) {
      if (isThreadEnd(error) || isDatabaseUnavailable(error)) {
        const recorded = abandonImport(db, args[0] as Actor, call.importId).catch(() => {});
        await Promise.race([recorded, pause(RECORD_WAIT_MS)]);
      }
      throw error;
    }
  }

  async function* stream(name: JobName, args: unknown[]): AsyncGenerator<Buffer> {
    try {
      yield* thread.stream(name, callOf(name, args));
    } catch (error) {
      asInternalError(error);
    }
    if (name === 'exportRedirects') committed();
  }

  const operations = Object.entries(JOBS).map(([name, kind]) => {
    const job = name as JobName;
    if (kind === 'stream') return [job, (...args: unknown[]) => stream(job, args)];
    if (kind === 'import') return [job, (...args: unknown[]) => countImport(runImport<CountedImport>(job, args))];
    return [job, (...args: unknown[]) => run(job, args)];
  });
  const jobs = Object.fromEntries(operations) as Jobs;
  return { ...jobs, reportHits: (input, body) => countReported(jobs.reportHits(input, body)) };
}

function liveRules(rulesets: Rulesets, websiteId: number): JobCall['live'] {
  return ENVIRONMENTS.flatMap((environment) => {
    const live = rulesets.live(websiteId, environment);
    return live && live.rules.version > 0 ? [{ environment, rules: toMessage(live.rules) }] : [];
  });
}

const isBody = (arg: unknown): arg is AsyncIterable<Buffer> =>
  typeof arg === 'object' && arg !== null && Symbol.asyncIterator in arg;

const isThreadEnd = (error: unknown): boolean =>
  error instanceof DomainError && error.cause instanceof ThreadEndedError;

function asInternalError(error: unknown): never {
  if (!(error instanceof ThreadEndedError)) throw error;
  const details = 'The service had to end this operation; check whether it was applied before you send it again';
  const shown = new DomainError('INTERNAL_ERROR', 'Internal error', { details });
  shown.cause = error;
  throw shown;
}
