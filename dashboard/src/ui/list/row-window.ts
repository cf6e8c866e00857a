/**
 * The rows of the list: those loaded from its start, those loaded from its end, and a gap between them that stands for
 * the rest. A place is a position on the page. The gap is short, so that every place in it fills within a few requests.
 */

export interface Identified {
  id: number | string;
}

/** Places of the gap, at most: 2,000 rows, more than a fast scroll passes while a page loads. */
const MAX_GAP = 2_000;
/** A shorter gap is extended while more rows than that are missing. */
const MIN_GAP = 700;
/** Loads the next page this many rows before it is visible. */
const PREFETCH_ROWS = 60;

export interface RowWindow<Row extends Identified> {
  /** loaded from the start of the list */
  head: readonly Row[];
  /** loaded from its end */
  tail: readonly Row[];
  /** places between the two; 0: all rows are loaded */
  gap: number;
}

export interface Page<Row extends Identified> {
  /** in the order of the list */
  rows: readonly Row[];
  /** true if no rows are beyond it */
  isLast: boolean;
  /** rows of the list; undefined: not known */
  total: number | undefined;
}

export type Side = 'head' | 'tail';

export const EMPTY_WINDOW: RowWindow<never> = { head: [], tail: [], gap: 0 };

export const lengthOf = ({ head, tail, gap }: RowWindow<Identified>): number => head.length + gap + tail.length;
export const rowsOf = <Row extends Identified>({ head, tail }: RowWindow<Row>): Row[] => [...head, ...tail];

/** The row at a place; undefined in the gap. */
export const rowAt = <Row extends Identified>({ head, tail, gap }: RowWindow<Row>, place: number): Row | undefined =>
  place < head.length ? head[place] : tail[place - head.length - gap];

/** The place of a loaded row; -1 without it. */
export function placeOf<Row extends Identified>(window: RowWindow<Row>, id: Row['id'] | undefined): number {
  const index = rowsOf(window).findIndex((row) => row.id === id);
  return index < window.head.length ? index : index + window.gap;
}

/** The same window with other rows. */
export const mapped = <Row extends Identified>(
  window: RowWindow<Row>,
  change: (rows: readonly Row[]) => Row[],
): RowWindow<Row> => ({
  ...window,
  head: change(window.head),
  tail: change(window.tail),
});

/** The number of rows before a place in the list. `above`: rows before the first loaded one. */
export function numberOf(
  window: RowWindow<Identified>,
  place: number,
  { total, above }: { total?: number | undefined; above: number },
): number {
  const isTail = place >= window.head.length + window.gap;
  return isTail && total !== undefined ? total - lengthOf(window) + place : above + place;
}

/** The loaded rows in a range of places. */
export function rowsBetween<Row extends Identified>(
  window: RowWindow<Row>,
  first: number,
  last: number,
): { row: Row; place: number }[] {
  const found = [];
  for (let place = first; place < Math.min(last, lengthOf(window)); place++) {
    const row = rowAt(window, place);
    if (row) found.push({ row, place });
  }
  return found;
}

/** The part to extend while these places are visible. */
export function sideToLoad(window: RowWindow<Identified>, first: number, last: number): Side | undefined {
  const { head, tail, gap } = window;
  if (gap === 0) return undefined;
  const start = head.length;
  const end = start + gap;
  if (last < start - PREFETCH_ROWS || (tail.length > 0 && first > end + PREFETCH_ROWS)) return undefined;
  const middle = (first + last) / 2;
  return end - middle < middle - start ? 'tail' : 'head';
}

/** Adds a page to the part before or after the gap, and closes the gap if the parts meet. */
export function extended<Row extends Identified>(window: RowWindow<Row>, side: Side, page: Page<Row>): RowWindow<Row> {
  const other = new Set(window[side === 'head' ? 'tail' : 'head'].map(({ id }) => id));
  const added = page.rows.filter(({ id }) => !other.has(id));
  const head = side === 'head' ? [...window.head, ...added] : window.head;
  const tail = side === 'tail' ? [...added, ...window.tail] : window.tail;
  if (added.length < page.rows.length) return { head: [...head, ...tail], tail: [], gap: 0 };
  // Rows of the other part that the end of the list does not have were moved or deleted.
  if (page.isLast) return { head: side === 'head' ? head : tail, tail: [], gap: 0 };
  return { head, tail, gap: gapAfter(window.gap - added.length, head.length + tail.length, page.total) };
}

/** The window of a first page. */
export const opened = <Row extends Identified>({ rows, isLast, total }: Page<Row>): RowWindow<Row> => ({
  head: rows,
  tail: [],
  gap: isLast ? 0 : gapAfter(0, rows.length, total),
});

function gapAfter(left: number, loaded: number, total = Infinity): number {
  const missing = Math.max(1, total - loaded);
  return left < MIN_GAP || left > missing ? Math.min(missing, MAX_GAP) : left;
}

/** How far the rows from `from` on have moved, so that the scroll position and the active row move along. */
export function shiftOf<Row extends Identified>(
  before: RowWindow<Row>,
  after: RowWindow<Row>,
): { from: number; by: number } {
  const from = before.head.length + before.gap;
  const place = placeOf(after, before.tail[0]?.id);
  return { from, by: place < 0 ? 0 : place - from };
}
