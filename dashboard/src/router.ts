/**
 * Addresses and screens. A screen is fetched when it is first shown; a link is an ordinary `<a href>`, so that it can be copied,
 * opened in a new tab and read aloud; the click is taken over below.
 */
import { computed, signal } from '@preact/signals';

/** The named parts of a route's path, such as `websiteId`. */
export type Params = Record<string, string>;

export interface RouterLocation {
  path: string;
  /** without its question mark */
  query: string;
}

const readLocation = (): RouterLocation => ({ path: location.pathname, query: location.search.slice(1) });

export const currentLocation = signal<RouterLocation>(readLocation());

/** The parameters of the address; a screen keeps in them what a link to it should show. */
export const query = computed(() => new URLSearchParams(currentLocation.value.query));

/** Goes to an address of the dashboard. `replace`: without a step that Back returns to. */
export function go(address: string, { replace = false }: { replace?: boolean } = {}): void {
  if (address === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  currentLocation.value = readLocation();
}

/** Changes parameters of the address where it is; undefined and '' leave one out. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), { replace: true });
}

/** Follows Back and Forward, and takes over plain clicks on links to pages of the dashboard. */
export function startRouter(isPage: (path: string) => boolean): void {
  addEventListener('popstate', () => (currentLocation.value = readLocation()));
  document.addEventListener('click', (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target !== '' || link.hasAttribute('download') || event.defaultPrevented) return;
    if (link.origin !== location.origin || !isPage(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
