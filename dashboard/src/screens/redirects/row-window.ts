/**
 * The rows of the list: those loaded from its start, those loaded from its end, and a gap between them that stands for
 * the rest. A place is a position on the page. The gap is short, so that every place in it fills within a few requests.
 */
import type { Redirect } from '../../api/wire.ts';

/** Places of the gap, at most: 2,000 rows, more than a fast scroll passes while a page loads. */
const MAX_GAP = 2_000;
/** A shorter gap is extended while more rows than that are missing. */
const MIN_GAP = 700;
/** Loads the next page this many rows before it is visible. */
const PREFETCH_ROWS = 150;

export interface RowWindow {
  /** the loaded rows in the order of the list */
  rows: readonly Redirect[];
  /** how many of them come after the gap */
  tailSize: number;
  /** places between the two parts; 0: all rows are loaded */
  gap: number;
}

export interface Page {
  /** in the order of the list */
  rows: readonly Redirect[];
  /** true if no rows are beyond it */
  isLast: boolean;
  /** rows of the list; undefined: not known */
  total: number | undefined;
}

export type Side = 'head' | 'tail';

export const lengthOf = ({ rows, gap }: RowWindow): number => rows.length + gap;
export const headSizeOf = ({ rows, tailSize }: RowWindow): number => rows.length - tailSize;

/** The row at a place; undefined in the gap. */
export function rowAt(window: RowWindow, place: number): Redirect | undefined {
  const head = headSizeOf(window);
  if (place < head) return window.rows[place];
  return place < head + window.gap ? undefined : window.rows[place - window.gap];
}

/** The place of a loaded row, by its index. */
export const placeOf = (window: RowWindow, index: number): number =>
  index < headSizeOf(window) ? index : index + window.gap;

/** The number of rows before a place in the list. `above`: rows before the first loaded one. */
export function numberOf(
  window: RowWindow,
  place: number,
  { total, above }: { total?: number | undefined; above: number },
): number {
  const isTail = place >= headSizeOf(window) + window.gap;
  return isTail && total !== undefined ? total - lengthOf(window) + place : above + place;
}

/** The loaded rows in a range of places. */
export function rowsBetween(window: RowWindow, first: number, last: number): { row: Redirect; place: number }[] {
  const found = [];
  for (let place = first; place < Math.min(last, lengthOf(window)); place++) {
    const row = rowAt(window, place);
    if (row) found.push({ row, place });
  }
  return found;
}

/** The part to extend while these places are visible. */
export function sideToLoad(window: RowWindow, first: number, last: number): Side | undefined {
  const { gap, tailSize } = window;
  if (gap === 0) return undefined;
  const start = headSizeOf(window);
  const end = start + gap;
  if (last < start - PREFETCH_ROWS || (tailSize > 0 && first > end + PREFETCH_ROWS)) return undefined;
  const middle = (first + last) / 2;
  return end - middle < middle - start ? 'tail' : 'head';
}

/** Adds a page to the part before or after the gap, and closes the gap if the parts meet. */
export function extended(window: RowWindow, side: Side, page: Page): RowWindow {
  const head = window.rows.slice(0, headSizeOf(window));
  const tail = window.rows.slice(headSizeOf(window));
  const other = new Set((side === 'head' ? tail : head).map(({ id }) => id));
  const added = page.rows.filter(({ id }) => !other.has(id));
  const hasMet = added.length < page.rows.length;
  // Rows of the other part that the end of the list does not have were moved or deleted.
  if (page.isLast && !hasMet) {
    return { rows: side === 'head' ? [...head, ...added] : [...added, ...tail], tailSize: 0, gap: 0 };
  }
  const rows = [...head, ...added, ...tail];
  if (hasMet) return { rows, tailSize: 0, gap: 0 };
  const tailSize = side === 'tail' ? tail.length + added.length : tail.length;
  return { rows, tailSize, gap: gapAfter(window.gap - added.length, rows.length, page.total) };
}

/** The window of a first page. */
export const opened = ({ rows, isLast, total }: Page): RowWindow => ({
  rows,
  tailSize: 0,
  gap: isLast ? 0 : gapAfter(0, rows.length, total),
});

function gapAfter(left: number, loaded: number, total = Infinity): number {
  const missing = Math.max(1, total - loaded);
  return left < MIN_GAP || left > missing ? Math.min(missing, MAX_GAP) : left;
}

/** How far the rows from `from` on have moved, so that the scroll position and the active row move along. */
export function shiftOf(before: RowWindow, after: RowWindow): { from: number; by: number } {
  const from = headSizeOf(before) + before.gap;
  const first = before.tailSize > 0 ? rowAt(before, from) : undefined;
  if (!first) return { from, by: 0 };
  const index = after.rows.findIndex(({ id }) => id === first.id);
  return { from, by: index < 0 ? 0 : placeOf(after, index) - from };
}
