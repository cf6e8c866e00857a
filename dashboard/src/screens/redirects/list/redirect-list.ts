/** The loaded rows of a list that may have a million. Scrolling loads further pages, up to MAX_ROWS at a time. */
import { batch, computed, effect, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../../api/client/api-error.ts';
import { countRedirects, listRedirects } from '../../../api/redirects.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import type { Cursors, Loaded, Place } from './list-memory.ts';
import {
  EMPTY_WINDOW,
  extended,
  mapped,
  numberOf,
  opened,
  type RowWindow,
  rowsOf,
  shiftOf,
  type Side,
} from '../../../ui/list/row-window.ts';
import { isNarrow } from '../open-page.ts';
import { foldersOf } from './shared-folders.ts';
import { createStaleRows, type StaleRows } from './stale-rows.ts';
import { HIT_DAYS, type Sort, type View } from '../view.ts';

/** At 44 px each, 2.2 million pixels: within the maximum height of an element in every browser. */
const MAX_ROWS = 50_000;

/** A small first page loads fast; later pages are larger. */
const FIRST_PAGE = 100;
const NEXT_PAGE = 500;

export type RedirectList = ReturnType<typeof createRedirectList>;

export function createRedirectList() {
  const state = createState();
  const reader = createReader();
  const staleRows = createStaleRows(state.window, () => reading.recount());
  const reading = createReading(state, reader, staleRows);
  const returning = createReturn(state, reader, { ...staleRows, show: reading.show });
  const { window, total, above } = state;
  return {
    ...state,
    ...staleRows,
    ...reading,
    ...returning,
    ...rowChanges(state),
    settled: () => settled(state),
    /** The number of rows before this place. */
    numberOf: (place: number): number => numberOf(window.value, place, { total: total.value, above: above.value }),
  };
}

type State = ReturnType<typeof createState>;

function createState() {
  const window = signal<RowWindow<Redirect>>(EMPTY_WINDOW);
  const rows = computed(() => rowsOf(window.value));
  return {
    window,
    /** the loaded rows */
    rows,
    /** the folders of most sources and of most targets on the first page: scrolling changes nothing */
    folders: computed(() => foldersOf(rows.value.slice(0, FIRST_PAGE))),
    hasSchedules: computed(() => rows.value.some(({ active_from, active_until }) => active_from ?? active_until)),
    /** the last move of the rows after the gap; the grid moves its scroll position and active row along */
    shift: signal({ from: 0, by: 0 }),
    /** number of matching redirects; undefined until the count arrives */
    total: signal<number | undefined>(undefined),
    isLoading: signal(true),
    error: signal<ApiError | undefined>(undefined),
    hasMore: computed(() => window.value.gap > 0),
    /** number of rows before the first loaded one */
    above: signal(0),
    /** rows above the visible part; a new object scrolls the list there */
    start: signal({ top: 0 }),
  };
}

const SIDES = ['head', 'tail'] as const satisfies readonly Side[];

type Part = 'first' | Side;

/** State of the current read. */
interface Reader {
  view: View | undefined;
  /** the view of the loaded rows */
  loadedView: View | undefined;
  /** the next page of each part */
  cursors: Cursors;
  /** the last part that could not be read */
  failed: Part;
  controller: AbortController;
}

function createReader(): Reader {
  return { view: undefined, loadedView: undefined, cursors: {}, failed: 'first', controller: new AbortController() };
}

function cancel(reader: Reader): void {
  reader.controller.abort();
  reader.controller = new AbortController();
}

function createReading(state: State, reader: Reader, { clearStale: allFresh }: StaleRows) {
  const { rows, total, isLoading, error, hasMore, above } = state;

  /** `isNew`: the loaded rows are those of another view. If the read fails, they are removed. */
  async function read(part: Part, isNew = false): Promise<void> {
    const { view, cursors } = reader;
    if (!view) return;
    const { signal } = reader.controller;
    const side = part === 'first' ? 'head' : part;
    isLoading.value = true;
    try {
      const cursor = cursors[side];
      const limit = part === 'first' || cursor === undefined ? FIRST_PAGE : NEXT_PAGE;
      const sort = side === 'head' ? view.sort : reversed(view.sort);
      const hits = view.hasHits && { hits_since: `${HIT_DAYS}d`, daily_hits: !isNarrow.value };
      const page = await listRedirects(view.filter, { sort, cursor, limit, ...hits }, signal);
      if (signal.aborted) return;
      cursors[side] = page.next_cursor ?? undefined;
      reader.loadedView = view;
      if (part === 'first') allFresh();
      takePage(state, part, page);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      reader.failed = part;
      batch(() => {
        error.value = asApiError(thrown);
        isLoading.value = false;
        if (isNew) state.window.value = EMPTY_WINDOW;
      });
    }
  }
  /** Loads the first page of a view. The previous rows stay until it arrives. */
  function show(next: View): void {
    cancel(reader);
    const isNew = next !== reader.view;
    reader.view = next;
    reader.cursors = {};
    above.value = 0;
    if (isNew) state.start.value = { top: 0 };
    void read('first', isNew);
    void count(next, total, reader.controller.signal);
  }
  const isFull = (): boolean => rows.value.length >= MAX_ROWS;
  return {
    show,
    isFull,
    reload: (): void => reader.view && show(reader.view),
    recount: (): void => void (reader.view && count(reader.view, total, reader.controller.signal)),
    /** Loads the next page of a part, unless a load is in progress or MAX_ROWS are loaded. */
    more(side: Side): void {
      if (hasMore.value && !isLoading.value && !error.value && !isFull()) void read(side);
    },
    /** Replaces the loaded rows by those after the last one before the gap. */
    continueBelow(): void {
      above.value += state.window.value.head.length;
      reader.cursors.tail = undefined;
      void read('first');
    },
    retry: (): void => void read(rows.value.length === 0 ? 'first' : reader.failed),
    end: () => cancel(reader),
  };
}

/** Resolves when the load has ended: true if the list has rows. */
function settled({ isLoading, error, rows }: State): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (isLoading.value) return;
      queueMicrotask(() => {
        stop();
        resolve(!error.value && rows.value.length > 0);
      });
    });
  });
}

function createReturn(state: State, reader: Reader, { markStale, show }: StaleRows & { show: (view: View) => void }) {
  const { total, isLoading, error, above } = state;
  return {
    /** The rows of a view; undefined if they are not loaded. */
    loaded(view: View): Loaded | undefined {
      if (view !== reader.loadedView || error.value) return undefined;
      return { ...state.window.value, total: total.value, above: above.value, cursors: reader.cursors };
    },
    /**
     * Shows a view as the user left it. Visible rows are loaded again. `hasWritten`: by this page since then, so that
     * the rows may lack redirects of the user.
     */
    restore(view: View, place: Place, hasWritten: boolean): void {
      cancel(reader);
      reader.view = reader.loadedView = view;
      reader.cursors = { ...place.cursors };
      batch(() => {
        state.window.value = { head: place.head, tail: place.tail, gap: place.gap };
        above.value = place.above;
        error.value = undefined;
        isLoading.value = false;
        state.start.value = { top: place.top };
        markStale();
      });
      void count(view, total, reader.controller.signal).then((found) => {
        const isLonger = found !== undefined && place.total !== undefined && found > place.total;
        if (!hasWritten || !isLonger || reader.view !== view) return;
        state.start.value = { top: 0 };
        show(view);
      });
    },
  };
}

const reversed = (sort: Sort): string => (sort.startsWith('-') ? sort.slice(1) : `-${sort}`);

function takePage(
  state: State,
  part: Part,
  { redirects, next_cursor: next }: { redirects: readonly Redirect[]; next_cursor: string | null },
): void {
  const { window, shift, total, above, error, isLoading } = state;
  const before = window.value;
  const page = {
    rows: part === 'tail' ? redirects.toReversed() : redirects,
    isLast: next === null,
    total: total.value === undefined ? undefined : total.value - above.value,
  };
  const after = part === 'first' ? opened(page) : extended(before, part, page);
  batch(() => {
    window.value = after;
    if (part !== 'first') shift.value = shiftOf(before, after);
    error.value = undefined;
    isLoading.value = false;
  });
}

/** Ignores errors: the list reports its own, and the count is optional. */
async function count(view: View, total: State['total'], signal: AbortSignal): Promise<number | undefined> {
  total.value = undefined;
  const found = await countRedirects(view.filter, signal).catch(() => undefined);
  if (signal.aborted) return undefined;
  return (total.value = found?.count);
}

function rowChanges(state: State) {
  const { window, total } = state;
  function addToTotal(change: number): void {
    if (total.value !== undefined) total.value += change;
  }
  function patchAll(ids: ReadonlySet<number>, change: Partial<Redirect>): void {
    window.value = mapped(window.value, (rows) => rows.map((row) => (ids.has(row.id) ? { ...row, ...change } : row)));
  }
  return {
    patchAll,
    patch: (id: number, change: Partial<Redirect>): void => patchAll(new Set([id]), change),

    /** Removes rows. Returns a function that puts them back in place. */
    remove(ids: ReadonlySet<number>): () => void {
      const before = window.value;
      const removed = SIDES.flatMap((side) =>
        before[side].flatMap((row, at) => (ids.has(row.id) ? [{ row, side, at }] : [])),
      );
      window.value = mapped(before, (rows) => rows.filter(({ id }) => !ids.has(id)));
      addToTotal(-removed.length);
      return () =>
        batch(() => {
          const next = mapped(window.value, (rows) => [...rows]);
          for (const { row, side, at } of removed) next[side] = next[side].toSpliced(at, 0, row);
          window.value = next;
          addToTotal(removed.length);
        });
    },

    /** A new row comes first in every order, so that the user sees it. */
    prepend(row: Redirect): void {
      window.value = { ...window.value, head: [row, ...window.value.head] };
      addToTotal(1);
    },
  };
}
