/** The loaded rows of a list that may have a million. Scrolling loads further pages, up to MAX_ROWS at a time. */
import { batch, computed, effect, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../../api/client/api-error.ts';
import { countRedirects, listRedirects } from '../../../api/redirects.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import type { Cursors, Loaded, Place } from './list-memory.ts';
import {
  EMPTY_WINDOW,
  extended,
  numberOf,
  opened,
  type RowWindow,
  rowsOf,
  shiftOf,
  type Side,
} from '../../../ui/list/row-window.ts';
import { isNarrow } from '../open-page.ts';
import { createNewRows, type NewRows } from './new-rows.ts';
import { foldersOf } from './shared-folders.ts';
import { rowChanges } from './row-changes.ts';
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
  const newRows = createNewRows(state.rows, () => reader.loadedView);
  const reading = createReading(state, reader, { ...staleRows, newRows });
  const returning = createReturn(state, reader, { ...staleRows, newRows, show: reading.show });
  const { window, total, above } = state;
  return {
    ...state,
    ...staleRows,
    ...reading,
    ...returning,
    ...rowChanges(state, newRows, () => void reading.reload()),
    newRows,
    settled: () => settled(state),
    /** The number of rows before this place. */
    numberOf: (place: number): number => numberOf(window.value, place, { total: total.value, above: above.value }),
  };
}

type State = ReturnType<typeof createState>;

function createState() {
  const window = signal<RowWindow<Redirect>>(EMPTY_WINDOW);
  const rows = computed(() => rowsOf(window.value));
  /** decides what the list shows: scrolling changes nothing */
  const firstPage = computed(() => rows.value.slice(0, FIRST_PAGE));
  return {
    window,
    /** the loaded rows */
    rows,
    /** the folders of most sources and of most targets on the first page */
    folders: computed(() => foldersOf(firstPage.value)),
    /** visible paths that hide these folders */
    drawn: { from: signal(0), to: signal(0) },
    hasGroups: computed(() => firstPage.value.some(({ group_id }) => group_id !== null)),
    hasSchedules: computed(() => firstPage.value.some(({ active_from, active_until }) => active_from ?? active_until)),
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

function pageQuery(view: View, part: Part, cursor: string | undefined) {
  const limit = part === 'first' || cursor === undefined ? FIRST_PAGE : NEXT_PAGE;
  const sort = part === 'tail' ? reversed(view.sort) : view.sort;
  const hits = view.hasHits && { hits_since: `${HIT_DAYS}d`, daily_hits: !isNarrow.value };
  return { sort, cursor, limit, ...hits };
}

/** Parts that a new first page resets. */
type Followers = StaleRows & { newRows: NewRows };

function createReading(state: State, reader: Reader, { clearStale: allFresh, newRows }: Followers) {
  const { rows, total, isLoading, error, hasMore, above } = state;

  /** If the read fails, the loaded rows stay, also those of another view of the website. */
  async function read(part: Part): Promise<void> {
    const { view, cursors } = reader;
    if (!view) return;
    const { signal } = reader.controller;
    const side = part === 'first' ? 'head' : part;
    isLoading.value = true;
    try {
      const page = await listRedirects(view.filter, pageQuery(view, part, cursors[side]), signal);
      if (signal.aborted) return;
      cursors[side] = page.next_cursor ?? undefined;
      reader.loadedView = view;
      if (part === 'first') {
        allFresh();
        void newRows.start(view, above.value === 0 ? page.redirects : undefined, signal);
      }
      takePage(state, part, page);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      reader.failed = part;
      batch(() => {
        error.value = asApiError(thrown);
        isLoading.value = false;
        if (view.filter.website_id !== reader.loadedView?.filter.website_id) state.window.value = EMPTY_WINDOW;
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
    void read('first');
    void count(next, total, reader.controller.signal);
  }
  const isFull = (): boolean => rows.value.length >= MAX_ROWS;
  return {
    show,
    isFull,
    /** The rows are those before the search, filter or order that could not be loaded. */
    isBehind: (): boolean => error.value !== undefined && reader.failed === 'first' && rows.value.length > 0,
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

function createReturn(
  state: State,
  reader: Reader,
  { markStale, newRows, show }: Followers & { show: (view: View) => void },
) {
  const { total, isLoading, error, above } = state;
  return {
    /** The rows of a view; undefined if they are not loaded. */
    loaded(view: View): Loaded | undefined {
      if (view !== reader.loadedView || error.value) return undefined;
      return {
        ...state.window.value,
        total: total.value,
        above: above.value,
        cursors: reader.cursors,
        newest: newRows.newest.value,
      };
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
        newRows.begin(place.newest);
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
