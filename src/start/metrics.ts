/** The metrics of one process. Features add their own to the same registry. */
import { Histogram, Registry } from 'prom-client';
import type { Db } from '../db/connection/client.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import { registerLiveMetrics } from '../deployments/live/live-metrics.ts';
import type { JobThread } from '../platform/jobs/thread.ts';
import { overdueLoops } from '../platform/scheduling/loop.ts';
import { addGauge, addProcessMetrics, addTotal, type Sample } from '../platform/log/metrics.ts';
import type { OutcomeTotals } from '../surfaces/edge/outcome-totals.ts';
import type { RedirectServer } from './redirect-server.ts';

/** The parts of a process that exist so far, by name. */
export interface MeasuredParts {
  pools: { main: Db; streams: Db };
  threads: Record<string, JobThread>;
  rulesets?: Rulesets;
  databaseProblem: () => Promise<string | undefined>;
}

/** Creates the metrics of a process whose parts are added to `parts` as it starts. */
export function createMetrics({ registry, state }: RedirectServer, parts: MeasuredParts): Registry {
  const metrics = new Registry();
  addProcessMetrics(metrics);
  addEdgeMetrics(metrics, state.outcomes);
  registerLiveMetrics(metrics, {
    registry,
    isCurrent: () => state.rulesets === 'current',
    secondsBehind: () => parts.rulesets?.secondsBehind(),
  });
  addGauge(metrics, {
    name: 'detour_database_up',
    help: '1 if the database responds within 2 s, accepts writes and its schema is current',
    aggregator: 'min',
    read: async () => Number((await parts.databaseProblem()) === undefined),
    late: 0,
  });
  addGauge(metrics, {
    name: 'detour_loops_overdue',
    help: 'Background loops whose last run did not end within its limit',
    read: () => overdueLoops().length,
  });
  addPoolMetrics(metrics, parts);
  addThreadMetrics(metrics, parts);
  return metrics;
}

const EDGE_SECONDS = [0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.01];

/** The responses to visitors. Not part of the edge itself, which starts without this library. */
export function addEdgeMetrics(metrics: Registry, totals: OutcomeTotals): void {
  addTotal(metrics, {
    name: 'detour_redirects_total',
    help: 'Responses to requests for managed websites',
    labelNames: ['environment', 'outcome'],
    read: () => totals.read(),
  });
  const seconds = new Histogram({
    name: 'detour_redirect_seconds',
    help: 'Time from the headers of a request for a managed website to its response, of one response in 64',
    buckets: EDGE_SECONDS,
    registers: [metrics],
  });
  totals.sampleTo((value) => seconds.observe(value));
}

function addPoolMetrics(metrics: Registry, { pools }: MeasuredParts): void {
  const each = Object.entries(pools).flatMap(([pool, { $client, $direct }]) => [
    { pool, $client },
    ...($direct === $client ? [] : [{ pool: `${pool}_direct`, $client: $direct }]),
  ]);
  addGauge(metrics, {
    name: 'detour_database_connections',
    help: 'Database connections by pool and state',
    labelNames: ['pool', 'state'],
    read: () =>
      each.flatMap(({ pool, $client }): Sample<'pool' | 'state'>[] => [
        [{ pool, state: 'busy' }, $client.totalCount - $client.idleCount],
        [{ pool, state: 'idle' }, $client.idleCount],
      ]),
  });
  addGauge(metrics, {
    name: 'detour_database_connections_max',
    help: 'Limit of database connections by pool',
    labelNames: ['pool'],
    read: () => each.map(({ pool, $client }) => [{ pool }, $client.options.max]),
  });
  addGauge(metrics, {
    name: 'detour_database_waiting',
    help: 'Work that waits for a database connection, by pool',
    labelNames: ['pool'],
    read: () => each.map(({ pool, $client }) => [{ pool }, $client.waitingCount]),
  });
}

function addThreadMetrics(metrics: Registry, { threads }: MeasuredParts): void {
  const each = (read: (thread: JobThread) => number): Sample<'thread'>[] =>
    Object.entries(threads).map(([thread, jobs]) => [{ thread }, read(jobs)]);
  addGauge(metrics, {
    name: 'detour_threads',
    help: 'Running worker threads; a thread starts at its first job',
    labelNames: ['thread'],
    read: () => each((thread) => Number(thread.stats().isUp)),
  });
  addGauge(metrics, {
    name: 'detour_thread_jobs',
    help: 'Jobs in progress in a worker thread, those included that wait inside it',
    labelNames: ['thread'],
    read: () => each((thread) => thread.stats().jobs),
  });
  addTotal(metrics, {
    name: 'detour_thread_crashes_total',
    help: 'Worker threads that ended by themselves; the next job starts another',
    labelNames: ['thread'],
    read: () => each((thread) => thread.stats().crashes),
  });
}
