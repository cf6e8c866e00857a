/**
 * The rows that are at hand: pages of a list that may have a million rows, read as the reader moves down. Not a full-height list, which no
 * browser can draw, and never more than MAX_ROWS at a time: further down it goes on with a list that begins there.
 */
import { batch, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import { countRedirects, listRedirects } from '../../api/redirects.ts';
import type { Redirect } from '../../api/wire.ts';
import { createStaleRows, type StaleRows } from './stale-rows.ts';
import { HIT_DAYS, type View } from './view.ts';

/** 44 px each: an element of 2.2 million pixels, well under what every browser can draw. */
const MAX_ROWS = 50_000;

/** The first page is there soon; who goes on reading is given more at a time. */
const FIRST_PAGE = 100;
const NEXT_PAGE = 500;

export type RedirectList = ReturnType<typeof createRedirectList>;

export function createRedirectList() {
  const state = createState();
  const freshness = createStaleRows(state.rows);
  const reading = createReading(state, freshness);
  return { ...state, ...freshness, ...reading, ...rowChanges(state) };
}

type State = ReturnType<typeof createState>;

function createState() {
  return {
    rows: signal<readonly Redirect[]>([]),
    /** how many match; undefined until it was counted */
    total: signal<number | undefined>(undefined),
    isLoading: signal(true),
    error: signal<ApiError | undefined>(undefined),
    hasMore: signal(false),
    /** rows above the first one that is at hand */
    above: signal(0),
  };
}

function createReading(state: State, { allFresh }: StaleRows) {
  const { rows, total, isLoading, error, hasMore, above } = state;
  let view: View | undefined;
  let cursor: string | undefined;
  let under = new AbortController();

  async function read(isFirst: boolean): Promise<void> {
    if (!view) return;
    const { signal: mine } = under;
    isLoading.value = true;
    try {
      const limit = isFirst ? FIRST_PAGE : NEXT_PAGE;
      const hits_since = view.hasHits ? `${HIT_DAYS}d` : undefined;
      const page = await listRedirects(view.filter, { sort: view.sort, cursor, limit, hits_since }, mine);
      if (mine.aborted) return;
      cursor = page.next_cursor ?? undefined;
      if (isFirst) allFresh();
      takePage(state, page.redirects, { isFirst, hasMore: page.next_cursor !== null });
    } catch (thrown) {
      if (mine.aborted || isAbort(thrown)) return;
      error.value = asApiError(thrown);
      isLoading.value = false;
    }
  }
  function begin(): void {
    under.abort();
    under = new AbortController();
  }
  /** Reads the first page of a view. The rows before stay until it is there. */
  function show(next: View): void {
    begin();
    view = next;
    cursor = undefined;
    above.value = 0;
    void read(true);
    void count(next, total, under.signal);
  }
  const isFull = (): boolean => rows.value.length >= MAX_ROWS;
  return {
    show,
    isFull,
    reload: (): void => view && show(view),
    /** Reads the next page, unless one is being read or as many are at hand as may be. */
    more(): void {
      if (hasMore.value && !isLoading.value && !error.value && !isFull()) void read(false);
    },
    /** Lets go of the rows at hand and goes on behind the last one. */
    goOn(): void {
      above.value += rows.value.length;
      void read(true);
    },
    retry: (): void => void read(rows.value.length === 0),
    end: begin,
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

/** The list itself says what is wrong with it; a count that is missing is left out. */
async function count(view: View, total: State['total'], mine: AbortSignal): Promise<void> {
  total.value = undefined;
  const found = await countRedirects(view.filter, mine).catch(() => undefined);
  if (!mine.aborted) total.value = found?.count;
}

/** What happens to single rows, shown before they are read again. */
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

    /** Takes rows out and answers how to put them back where they were. */
    remove(ids: ReadonlySet<number>): () => void {
      const taken = rows.value.flatMap((row, at) => (ids.has(row.id) ? [{ row, at }] : []));
      rows.value = rows.value.filter((row) => !ids.has(row.id));
      addToTotal(-taken.length);
      return () => {
        const next = [...rows.value];
        for (const { row, at } of taken) next.splice(at, 0, row);
        rows.value = next;
        addToTotal(taken.length);
      };
    },

    /** A row that was just made stands first, whatever the order: its maker looks for it. */
    prepend(row: Redirect): void {
      rows.value = [row, ...rows.value];
      addToTotal(1);
    },
  };
}
