import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listDeployments } from '../../api/deployments.ts';
import { environmentStates } from '../../state/environments.ts';
import { useOnChange, useResource } from '../../state/resource/use-resource.ts';
import type { RedirectList } from './list/redirect-list.ts';

/** Interval at which deployments by other users appear. */
const POLL_MS = 10_000;
const POLL_MS_WHILE_RUNNING = 700;
/** Delays of the checks after a bulk change: a deployment takes 10 ms to 1 s. */
const CHECK_DELAYS_MS = [150, 500, 1_200, 2_500, 5_000];
const NEWEST = 10;

/**
 * Renders nothing. Marks the rows as stale, and looks for new ones, whenever a deployment completes, or changes of anyone
 * wait for one.
 */
export function DeploymentWatch({ websiteId, list }: { websiteId: number; list: RedirectList }) {
  const everyMs = useSignal(POLL_MS);
  const { data, reload } = useResource(
    `deployments-of:${websiteId}`,
    (signal) => listDeployments({ website_id: websiteId, limit: NEWEST }, signal),
    { everyMs: everyMs.value },
  );
  const deployments = data.value?.deployments;
  const isRunning = deployments?.some(({ status }) => status === 'queued' || status === 'running');
  const completed = deployments?.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const waiting = environmentStates.value.map(({ waiting_changes: count }) => count).join('+');

  useEffect(() => {
    everyMs.value = isRunning ? POLL_MS_WHILE_RUNNING : POLL_MS;
  }, [isRunning]);
  const follow = (): void => {
    list.markStale();
    void list.newRows.look();
  };
  useOnChange(completed?.join(), follow);
  useOnChange(waiting === '' ? undefined : waiting, follow);

  const bulkWrites = list.bulkWrites.value;
  useEffect(() => {
    if (bulkWrites === 0) return;
    const timers = CHECK_DELAYS_MS.map((ms) => setTimeout(reload, ms));
    return () => timers.forEach(clearTimeout);
  }, [bulkWrites]);
  return null;
}
