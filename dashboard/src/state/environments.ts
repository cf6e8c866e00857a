import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { writes } from '../api/client/client.ts';
import { fetchEnvironmentStates } from '../api/deployments.ts';
import type { EnvironmentState } from '../api/client/wire.ts';
import { useResource, useOnChange } from './resource/use-resource.ts';
import { currentWebsite } from './websites.ts';

/** Interval at which changes of other users appear. */
const POLL_MS = 10_000;
const POLL_MS_WHILE_DEPLOYING = 1_500;

const loaded = signal<{ websiteId: number; states: EnvironmentState[] } | undefined>(undefined);

/** The environments of the current website; empty until they are loaded. */
export const environmentStates = computed<EnvironmentState[]>(() => {
  const states = loaded.value;
  return states && states.websiteId === currentWebsite.value?.id ? states.states : [];
});

/** Keeps `environmentStates` up to date: at intervals, and at once after each write of this page. */
export function useEnvironmentStates(websiteId: number): void {
  const isDeploying = environmentStates.value.some(({ deploying }) => deploying);
  const { data, reload } = useResource(
    `environments:${websiteId}`,
    (signal) => fetchEnvironmentStates(websiteId, signal),
    { everyMs: isDeploying ? POLL_MS_WHILE_DEPLOYING : POLL_MS },
  );
  const states = data.value?.environments;
  useEffect(() => {
    if (states) loaded.value = { websiteId, states };
  }, [states]);
  useOnChange(writes.value, reload);
}
