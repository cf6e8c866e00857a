/**
 * The location of the page as signals. Links are plain `<a href>`: they can be copied and opened in new tabs. A click
 * on a link to a dashboard page changes the location without a page load.
 */
import { computed, signal } from '@preact/signals';

/** The named parts of a route's path, such as `websiteId`. */
export type Params = Record<string, string>;

export interface RouterLocation {
  path: string;
  /** without the question mark */
  query: string;
}

const readLocation = (): RouterLocation => ({ path: location.pathname, query: location.search.slice(1) });

export const currentLocation = signal<RouterLocation>(readLocation());

/** The query parameters. Screens keep filters, tabs and open panels in them, so that a link shows the same view. */
export const query = computed(() => new URLSearchParams(currentLocation.value.query));

/** Opens a page of the dashboard. `replace`: without a new entry in the browser's history. */
export function go(url: string, { replace = false }: { replace?: boolean } = {}): void {
  if (url === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  currentLocation.value = readLocation();
}

/** Changes query parameters of the current page; undefined and '' remove a parameter. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), { replace: true });
}

/** Handles Back, Forward, and plain clicks on links to pages of the dashboard. */
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
