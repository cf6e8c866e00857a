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

/** State of an entry of the browser's history. */
interface Entry {
  /** position in the history of this tab */
  at: number;
  /** URLs of the entries before, the nearest first */
  trail: string[];
}

const MAX_TRAIL = 8;

const readEntry = (): Entry | undefined => (history.state as Entry | null) ?? undefined;

let entry: Entry = readEntry() ?? { at: 0, trail: [] };

let mayLeave: (proceed: () => void) => boolean = () => true;

/** Before the location changes, calls `check`. If it returns false, the location stays until it calls `proceed`. */
export function onLeave(check: typeof mayLeave): void {
  mayLeave = check;
}

/** Navigation that waits until the browser has gone back; undefined: it is not going back. */
let waiting: (() => void)[] | undefined;

const here = (): string => location.pathname + location.search;

let isTraversal = false;

/** True if the last navigation was Back or Forward. */
export const cameByHistory = (): boolean => isTraversal;

/** Opens a page of the dashboard. `replace`: without a new entry in the browser's history. */
export function go(url: string, { replace = false }: { replace?: boolean } = {}): void {
  if (waiting) return void waiting.push(() => go(url, { replace }));
  if (url === here() || !mayLeave(() => go(url, { replace }))) return;
  if (!replace) entry = { at: entry.at + 1, trail: [here(), ...entry.trail].slice(0, MAX_TRAIL) };
  isTraversal = false;
  history[replace ? 'replaceState' : 'pushState'](entry, '', url);
  currentLocation.value = readLocation();
}

/** Query parameters to set; a list repeats its parameter; undefined, '' and [] remove it. */
type QueryChanges = Record<string, string | readonly string[] | undefined>;

/** The current page, or another path, with changed query parameters. */
export function urlWith(changes: QueryChanges, path = location.pathname): string {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    const [first = '', ...others] = [value ?? []].flat();
    if (first === '') next.delete(name);
    else next.set(name, first);
    for (const each of others) next.append(name, each);
  }
  const text = next.toString();
  return path + (text === '' ? '' : `?${text}`);
}

/** Changes query parameters of the current page. `replace`: for every letter of a text, which is no step of Back. */
export function setQuery(changes: QueryChanges, options: { replace?: boolean } = {}): void {
  go(urlWith(changes), options);
}

/** Closes the panel or dialog of these query parameters. */
export const closeQuery = (...names: string[]): void =>
  closeTo(urlWith(Object.fromEntries(names.map((name) => [name, undefined]))));

/**
 * Closes a panel or page that was opened at `url`. Goes back to that entry, if there is one, so that Back does not open it
 * again.
 */
export function closeTo(url: string): void {
  if (url === here()) return;
  const steps = stepsBackTo(url);
  if (steps === 0) return go(url, { replace: true });
  if (waiting || !mayLeave(() => closeTo(url))) return;
  waiting = [];
  history.go(-steps);
}

/** Number of entries back to this URL, if all since are of its page or below; 0 if it is not there. */
function stepsBackTo(url: string): number {
  const [path] = url.split('?');
  const otherPage = entry.trail.findIndex((each) => !`${each.split('?')[0]}/`.startsWith(`${path}/`));
  const samePage = otherPage === -1 ? entry.trail : entry.trail.slice(0, otherPage);
  return samePage.indexOf(url) + 1;
}

function afterTraversal(): void {
  const next = readEntry() ?? entry;
  const steps = next.at - entry.at;
  const isAllowed = waiting !== undefined || steps === 0 || mayLeave(() => history.go(steps));
  if (!isAllowed) return history.go(-steps);
  entry = next;
  isTraversal = true;
  currentLocation.value = readLocation();
  const actions = waiting ?? [];
  waiting = undefined;
  for (const run of actions) run();
}

/** Handles Back, Forward, and plain clicks on links to pages of the dashboard. */
export function startRouter(isPage: (path: string) => boolean): void {
  history.replaceState(entry, '');
  addEventListener('popstate', afterTraversal);
  document.addEventListener('click', (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target !== '' || link.hasAttribute('download') || event.defaultPrevented) return;
    if (link.origin !== location.origin || !isPage(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
