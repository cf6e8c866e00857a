/** Places in the list that the user has left: loaded rows and the first visible row of the last views. */
import { effect } from '@preact/signals';
import type { Redirect } from '../../../api/client/wire.ts';
import { readStored, writeStored } from '../../../state/browser.ts';
import { user } from '../../../state/session.ts';
import type { RowWindow, Side } from '../../../ui/list/row-window.ts';
import type { View } from '../view.ts';

const MAX_VIEWS = 5;
/** The place that a reload keeps, in the storage of the tab: at most about 2 MB. */
const RELOADED = 'detour.place';
const MAX_STORED_ROWS = 2_000;
/** Limit of all views together; about 25 MB. */
const MAX_ROWS = 50_000;

/** The next page of each part; undefined on its last page, and before its first one. */
export type Cursors = Partial<Record<Side, string | undefined>>;

/** The loaded part of a list. */
export interface Loaded extends RowWindow<Redirect> {
  total: number | undefined;
  /** number of rows before the first loaded one */
  above: number;
  cursors: Cursors;
  /** the highest id that the list had; see new-rows.ts */
  newest: number | undefined;
}

export interface Place extends Loaded {
  /** rows above the visible part, a fraction included: the height of rows may change meanwhile */
  top: number;
  /** place of the row with the keyboard focus */
  active: number;
  /** number of writes of this page until then */
  writes: number;
}

/** The last one left is last. */
const places = new Map<string, Place>();

effect(() => {
  if (!user.value) places.clear();
});

const keyOf = (view: View): string => JSON.stringify(view);

/** Stores the place. At the top, a new read shows the same, so nothing is stored. */
export function remember(view: View, place: Place): void {
  places.delete(keyOf(view));
  if (place.top === 0) return;
  places.set(keyOf(view), place);
  for (const oldest of places.keys()) {
    if (places.size <= MAX_VIEWS && countRows() <= MAX_ROWS) return;
    places.delete(oldest);
  }
}

/** The place where the user left this view. */
export function recall(view: View): Place | undefined {
  if (!isReloadOver) takeStored();
  return places.get(keyOf(view));
}

/** Stores the place for a reload of the page. */
export function store(view: View, place: Place): void {
  const isKept = place.top > 0 && place.head.length + place.tail.length <= MAX_STORED_ROWS;
  // A reloaded page has written nothing yet.
  const value = isKept ? JSON.stringify([user.peek()?.id, keyOf(view), { ...place, writes: 0 }]) : undefined;
  writeStored(RELOADED, value, 'sessionStorage');
}

let isReloadOver = false;

/** Takes the stored place, if the same user reloaded the page. */
function takeStored(): void {
  isReloadOver = true;
  const stored = readStored(RELOADED, 'sessionStorage');
  writeStored(RELOADED, undefined, 'sessionStorage');
  const [navigation] = performance.getEntriesByType('navigation');
  if (stored === undefined || (navigation as PerformanceNavigationTiming | undefined)?.type === 'navigate') return;
  const [id, key, place] = JSON.parse(stored) as [unknown, string, Place];
  if (id === user.peek()?.id) places.set(key, place);
}

const countRows = (): number =>
  [...places.values()].reduce((sum, { head, tail }) => sum + head.length + tail.length, 0);
