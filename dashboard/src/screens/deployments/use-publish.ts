import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/client/api-error.ts';
import { undoChange } from '../../api/changes.ts';
import { writes } from '../../api/client/client.ts';
import { fetchDeployment, publish } from '../../api/deployments.ts';
import type { Deployment } from '../../api/client/wire.ts';
import { loadWebsites } from '../../state/websites.ts';
import { duration, number } from '../../format.ts';

/** A deployment of this page, from the click to its end. */
export interface Publication {
  deployment: Deployment;
  /** from the click until it was live or had failed; undefined while it is in progress */
  ms: number | undefined;
  /** true if it takes back another one */
  isUndo: boolean;
}

export type Publish = ReturnType<typeof usePublish>;

/** Publishes versions one at a time. `error`: why the last request failed. */
export function usePublish() {
  const publication = useSignal<Publication | undefined>(undefined);
  const isBusy = useSignal(false);
  const error = useSignal<ApiError | undefined>(undefined);
  const controller = useSignal(new AbortController()).peek();
  useEffect(() => () => controller.abort(), []);

  /** Sends a request, and follows its deployment to the end. */
  async function run(send: () => Promise<{ deployment: Deployment }>, isUndo = false): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    const start = performance.now();
    try {
      let { deployment } = await send();
      publication.value = { deployment, isUndo, ms: undefined };
      deployment = await followDeployment(deployment, controller.signal);
      publication.value = { deployment, isUndo, ms: performance.now() - start };
      writes.value += 1;
      // Not awaited: Undo is available at once. The next load of any screen repeats a failed one.
      loadWebsites(controller.signal).catch(() => undefined);
    } catch (thrown) {
      if (!controller.signal.aborted) error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  async function undo(): Promise<void> {
    const done = publication.value?.deployment;
    if (!done?.version) return;
    const { website_id, environment, version, changes } = done;
    const options = { website_id, environment, max_removals: changes?.added ?? 0 };
    const takeBack = async () => {
      // First the environments that the promotion has added to redirects: else the next deployment adds them again.
      if (done.change_id !== null) await undoChange(done.change_id);
      return publish({ action: 'rollback', version: version - 1 }, options);
    };
    await run(takeBack, true);
  }
  return { publication, isBusy, error, run, undo };
}

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
