import { fetchDeployment } from '../../api/deployments.ts';
import type { Deployment } from '../../api/client/wire.ts';
import { duration, number } from '../../format.ts';

/** Interval at which a deployment in progress is read. */
const POLL_MS = 300;

/** Polls a deployment until it is live or has failed. Rejects when `signal` aborts. */
export async function followDeployment(
  deployment: Deployment,
  signal: AbortSignal,
  onUpdate?: (deployment: Deployment) => void,
): Promise<Deployment> {
  let latest = deployment;
  while (latest.status === 'queued' || latest.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    ({ deployment: latest } = await fetchDeployment(latest.id, signal));
    onUpdate?.(latest);
  }
  return latest;
}

/** The time until a deployment was live. In tenths of a second, because the status is polled. */
export function liveTime(ms: number): string {
  return ms < 10_000 ? `${number(Math.max(1, Math.round(ms / 100)) / 10)} s` : duration(ms);
}
