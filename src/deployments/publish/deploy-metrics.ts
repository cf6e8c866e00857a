import { Counter, Histogram, type Registry } from 'prom-client';
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { addGauge } from '../../platform/log/metrics.ts';

/** `retried` is a try that threw, and that this process or another one repeats. */
export type DeploymentResult = 'completed' | 'failed' | 'retried';

/** Counts one try to deploy. */
export type CountDeployment = (result: DeploymentResult, seconds: number) => void;

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Adds the deployments of this process, and the queue that all processes share. */
export function createDeployMetrics(metrics: Registry, db: Db): CountDeployment {
  const total = new Counter({
    name: 'detour_deployments_total',
    help: 'Deployments that this process has run',
    labelNames: ['result'],
    registers: [metrics],
  });
  for (const result of ['completed', 'failed', 'retried'] satisfies DeploymentResult[]) total.inc({ result }, 0);
  const duration = new Histogram({
    name: 'detour_deployment_seconds',
    help: 'Time from the start of a deployment to its end',
    buckets: SECONDS,
    registers: [metrics],
  });
  addGauge(metrics, {
    name: 'detour_deployments_waiting',
    help: 'Environments with a deployment that is queued or running, over all processes',
    aggregator: 'max',
    read: () => countWaiting(db),
  });
  return (result, seconds) => {
    total.inc({ result });
    duration.observe(seconds);
  };
}

async function countWaiting(db: Db): Promise<number> {
  const { rows } = await db.execute<{ waiting: number }>(sql`
    select count(*)::int as waiting from website_environments we join websites w on w.id = we.website_id
    where (we.queued is not null or we.running is not null) and w.deleting_since is null`);
  return rows[0]?.waiting ?? 0;
}
