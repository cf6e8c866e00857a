import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listDeployments } from '../../api/deployments.ts';
import { useResource } from '../../state/use-resource.ts';
import type { RedirectList } from './redirect-list.ts';

/** Interval at which deployments by other users appear. */
const POLL_MS = 10_000;
const POLL_MS_WHILE_RUNNING = 700;
/** Delays of the checks after a bulk change: a deployment takes 10 ms to 1 s. */
const CHECK_DELAYS_MS = [150, 500, 1_200, 2_500, 5_000];
const NEWEST = 10;

/** Renders nothing. Marks the rows as stale whenever a deployment completes. */
export function DeploymentWatch({ websiteId, list }: { websiteId: number; list: RedirectList }) {
  const known = useRef<string>(undefined);
  const everyMs = useSignal(POLL_MS);
  const { data, reload } = useResource(
    `deployments-of:${websiteId}`,
    (signal) => listDeployments({ website_id: websiteId, limit: NEWEST }, signal),
    { everyMs: everyMs.value },
  );
  const deployments = data.value?.deployments;
  const isRunning = deployments?.some(({ status }) => status === 'queued' || status === 'running');
  const completed = deployments?.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const completedIds = completed?.join();

  useEffect(() => {
    everyMs.value = isRunning ? POLL_MS_WHILE_RUNNING : POLL_MS;
  }, [isRunning]);
  useEffect(() => {
    if (completedIds === undefined) return;
    if (known.current !== undefined && known.current !== completedIds) list.markStale();
    known.current = completedIds;
  }, [completedIds]);

  const bulkWrites = list.bulkWrites.value;
  useEffect(() => {
    if (bulkWrites === 0) return;
    const timers = CHECK_DELAYS_MS.map((ms) => setTimeout(reload, ms));
    return () => timers.forEach(clearTimeout);
  }, [bulkWrites]);
  return null;
}
