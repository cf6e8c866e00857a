/** Metrics of checks. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AnswerCount } from '../checks/run/run-check.ts';
import type { Db } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import type { Clock } from '../platform/clock.ts';
import { addGauge } from '../platform/log/metrics.ts';
import { CHECK_STATES } from '../vocabulary/checks.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Measured {
  db: Db;
  clock: Clock;
  /** checks that the process runs */
  running: () => number;
}

/** Adds the metrics of checks. Returns a function that counts answers. */
export function createCheckMetrics(
  metrics: Registry,
  { db, clock, running }: Measured,
): (answers: readonly AnswerCount[]) => void {
  const total = new Counter({
    name: 'detour_check_targets_total',
    help: 'Targets that checks have asked, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of [...CHECK_STATES, 'waiting']) if (outcome !== 'skipped') total.inc({ outcome }, 0);
  const seconds = new Histogram({
    name: 'detour_check_target_seconds',
    help: 'Time to ask a target, with all its requests',
    buckets: SECONDS,
    registers: [metrics],
  });
  addGauge(metrics, {
    name: 'detour_checks_running',
    help: 'Checks that run, retries of errors included',
    read: running,
  });
  addGauge(metrics, {
    name: 'detour_check_oldest_due_seconds',
    help: 'How long the oldest check that no process runs has been due',
    aggregator: 'max',
    async read() {
      // Few checks have a time in the index: those that run, or whose errors are tried again.
      const [oldest] = await queryRows<{ nextAt: string | null }>(db)`
        select min(next_at) as next_at from checks
        where next_at is not null and (lease is null or lease_until < ${clock.now().toISOString()}::timestamptz)`;
      return oldest?.nextAt ? Math.max(0, (clock.now().getTime() - Date.parse(oldest.nextAt)) / 1_000) : 0;
    },
  });
  return (answers) => {
    for (const [outcome, ms] of answers) {
      total.inc({ outcome });
      seconds.observe(ms / 1_000);
    }
  };
}
