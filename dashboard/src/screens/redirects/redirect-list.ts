/** The loaded rows of a list that may have a million. Scrolling loads further pages, up to MAX_ROWS at a time. */
import { batch, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import { countRedirects, listRedirects } from '../../api/redirects.ts';
import type { Redirect } from '../../api/wire.ts';
import type { Loaded, Place } from './list-memory.ts';
import { createStaleRows, type StaleRows } from './stale-rows.ts';
import { HIT_DAYS, type View } from './view.ts';

/** At 44 px each, 2.2 million pixels: within the maximum height of an element in every browser. */
const MAX_ROWS = 50_000;

/** A small first page loads fast; later pages are larger. */
const FIRST_PAGE = 100;
const NEXT_PAGE = 500;

export type RedirectList = ReturnType<typeof createRedirectList>;

export function createRedirectList() {
  const state = createState();
  const reader = createReader();
  const staleRows = createStaleRows(state.rows, () => reading.recount());
  const reading = createReading(state, reader, staleRows);
  const returning = createReturn(state, reader, { ...staleRows, show: reading.show });
  return { ...state, ...staleRows, ...reading, ...returning, ...rowChanges(state) };
}

type State = ReturnType<typeof createState>;

function createState() {
  return {
    rows: signal<readonly Redirect[]>([]),
    /** number of matching redirects; undefined until the count arrives */
    total: signal<number | undefined>(undefined),
    isLoading: signal(true),
    error: signal<ApiError | undefined>(undefined),
    hasMore: signal(false),
    /** number of rows before the first loaded one */
    above: signal(0),
    /** scroll position in pixels; a new object scrolls the list there */
    start: signal({ top: 0 }),
  };
}

/** State of the current read. */
interface Reader {
  view: View | undefined;
  /** the view of the loaded rows */
  loadedView: View | undefined;
  cursor: string | undefined;
  controller: AbortController;
}

function createReader(): Reader {
  return { view: undefined, loadedView: undefined, cursor: undefined, controller: new AbortController() };
}

function cancel(reader: Reader): void {
  reader.controller.abort();
  reader.controller = new AbortController();
}

function createReading(state: State, reader: Reader, { clearStale: allFresh }: StaleRows) {
  const { rows, total, isLoading, error, hasMore, above } = state;

  /** `isNew`: the loaded rows are those of another view. If the read fails, they are removed. */
  async function read(isFirst: boolean, isNew = false): Promise<void> {
    const { view, cursor } = reader;
    if (!view) return;
    const { signal } = reader.controller;
    isLoading.value = true;
    try {
      const limit = isFirst ? FIRST_PAGE : NEXT_PAGE;
      const hits_since = view.hasHits ? `${HIT_DAYS}d` : undefined;
      const page = await listRedirects(view.filter, { sort: view.sort, cursor, limit, hits_since }, signal);
      if (signal.aborted) return;
      reader.cursor = page.next_cursor ?? undefined;
      reader.loadedView = view;
      if (isFirst) allFresh();
      takePage(state, page.redirects, { isFirst, hasMore: page.next_cursor !== null });
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      batch(() => {
        error.value = asApiError(thrown);
        isLoading.value = false;
        if (!isNew) return;
        rows.value = [];
        hasMore.value = false;
      });
    }
  }
  /** Loads the first page of a view. The previous rows stay until it arrives. */
  function show(next: View): void {
    cancel(reader);
    const isNew = next !== reader.view;
    reader.view = next;
    reader.cursor = undefined;
    above.value = 0;
    if (isNew) state.start.value = { top: 0 };
    void read(true, isNew);
    void count(next, total, reader.controller.signal);
  }
  const isFull = (): boolean => rows.value.length >= MAX_ROWS;
  return {
    show,
    isFull,
    reload: (): void => reader.view && show(reader.view),
    recount: (): void => void (reader.view && count(reader.view, total, reader.controller.signal)),
    /** Loads the next page, unless a load is in progress or MAX_ROWS are loaded. */
    more(): void {
      if (hasMore.value && !isLoading.value && !error.value && !isFull()) void read(false);
    },
    /** Replaces the loaded rows by those after the last one. */
    continueBelow(): void {
      above.value += rows.value.length;
      void read(true);
    },
    retry: (): void => void read(rows.value.length === 0),
    end: () => cancel(reader),
  };
}

/** Leaving a view, and returning to its rows. */
function createReturn(state: State, reader: Reader, { markStale, show }: StaleRows & { show: (view: View) => void }) {
  const { rows, total, isLoading, error, hasMore, above } = state;
  return {
    /** The rows of a view; undefined if they are not loaded. */
    loaded(view: View): Loaded | undefined {
      if (view !== reader.loadedView || error.value) return undefined;
      return { rows: rows.value, total: total.value, above: above.value, cursor: reader.cursor };
    },
    /**
     * Shows a view as the user left it. Visible rows are loaded again. `hasWritten`: by this page since then, so that
     * the rows may lack redirects of the user.
     */
    restore(view: View, place: Place, hasWritten: boolean): void {
      cancel(reader);
      reader.view = reader.loadedView = view;
      reader.cursor = place.cursor;
      batch(() => {
        rows.value = place.rows;
        above.value = place.above;
        hasMore.value = place.cursor !== undefined;
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

function takePage(
  { rows, hasMore, error, isLoading }: State,
  page: readonly Redirect[],
  { isFirst, hasMore: more }: { isFirst: boolean; hasMore: boolean },
): void {
  batch(() => {
    rows.value = isFirst ? page : [...rows.value, ...page];
    hasMore.value = more;
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

/** Changes of loaded rows, shown before they are loaded again. */
function rowChanges({ rows, total }: State) {
  function addToTotal(change: number): void {
    if (total.value !== undefined) total.value += change;
  }
  return {
    patch(id: number, change: Partial<Redirect>): void {
      rows.value = rows.value.map((row) => (row.id === id ? { ...row, ...change } : row));
    },

    patchAll(ids: ReadonlySet<number>, change: Partial<Redirect>): void {
      rows.value = rows.value.map((row) => (ids.has(row.id) ? { ...row, ...change } : row));
    },

    /** Removes rows. Returns a function that puts them back in place. */
    remove(ids: ReadonlySet<number>): () => void {
      const removed = rows.value.flatMap((row, at) => (ids.has(row.id) ? [{ row, at }] : []));
      rows.value = rows.value.filter((row) => !ids.has(row.id));
      addToTotal(-removed.length);
      return () => {
        const next = [...rows.value];
        for (const { row, at } of removed) next.splice(at, 0, row);
        rows.value = next;
        addToTotal(removed.length);
      };
    },

    /** A new row comes first in every order, so that the user sees it. */
    prepend(row: Redirect): void {
      rows.value = [row, ...rows.value];
      addToTotal(1);
    },
  };
}
