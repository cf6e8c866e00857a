import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listDeployments } from '../../api/deployments.ts';
import { useResource } from '../../state/use-resource.ts';
import type { RedirectList } from './redirect-list.ts';

/** Whoever deploys, from another page or by themselves: seen soon enough, and a request that costs nothing. */
const LOOK_EVERY_MS = 10_000;
const LOOK_EVERY_MS_WHILE_RUNNING = 700;
/** After a change from here: it is deployed within some ten milliseconds, or a second on a large website. */
const LOOK_AFTER_MS = [150, 500, 1_200, 2_500, 5_000];
const NEWEST = 10;

/** Shows nothing: hears of each deployment that has ended, and has the marks of the rows read again. */
export function DeploymentWatch({ websiteId, list }: { websiteId: number; list: RedirectList }) {
  const known = useRef<string>(undefined);
  const everyMs = useSignal(LOOK_EVERY_MS);
  const { data, reload } = useResource(
    `deployments-of:${websiteId}`,
    (signal) => listDeployments({ website_id: websiteId, limit: NEWEST }, signal),
    { everyMs: everyMs.value },
  );
  const deployments = data.value?.deployments;
  const isUnderWay = deployments?.some(({ status }) => status === 'queued' || status === 'running');
  const ended = deployments?.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const live = ended?.join();

  useEffect(() => {
    everyMs.value = isUnderWay ? LOOK_EVERY_MS_WHILE_RUNNING : LOOK_EVERY_MS;
  }, [isUnderWay]);
  useEffect(() => {
    if (live === undefined) return;
    if (known.current !== undefined && known.current !== live) list.outdate();
    known.current = live;
  }, [live]);

  const written = list.written.value;
  useEffect(() => {
    if (written === 0) return;
    const timers = LOOK_AFTER_MS.map((ms) => setTimeout(reload, ms));
    return () => timers.forEach(clearTimeout);
  }, [written]);
  return null;
}
