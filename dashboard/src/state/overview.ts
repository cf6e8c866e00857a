import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchOverview } from '../api/websites.ts';
import type { Need, AccountOverview } from '../api/client/wire.ts';
import type { HomeNeed } from './shown-needs.ts';
import { type Resource, useResource } from './resource/use-resource.ts';

const POLL_MS = 30_000;

/** The overview of the open website, otherwise of all; undefined until the frame is shown. */
export const overview = signal<Resource<AccountOverview> | undefined>(undefined);

/** The needs that have a line; none until its script is loaded, after the first view. */
const listed = signal((_all: readonly Need[]): readonly HomeNeed[] => []);

/** The lines of Home; empty until they are loaded. */
export const needs = computed(() => listed.value(overview.value?.data.value?.items ?? []));

/** Keeps `overview` up to date: at intervals, and when Home is opened. */
export function useOverview(websiteId: number | undefined, isHome: boolean): void {
  const found = useResource(`overview:${websiteId}`, (signal) => fetchOverview(websiteId, signal), {
    everyMs: POLL_MS,
  });
  useEffect(() => {
    overview.value = found;
    import('./listed-needs.ts').then(
      ({ listedNeeds }) => {
        listed.value = listedNeeds;
      },
      () => {
        listed.value = (all) => all;
      },
    );
  }, []);
  useEffect(() => {
    if (isHome && found.data.peek()) found.reload();
  }, [isHome]);
}
