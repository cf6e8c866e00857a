import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../api/api-error.ts';

export interface PageOf<Row> {
  rows: Row[];
  next: string | null;
}

export interface Pages<Row> {
  /** of every page that was asked for; undefined until the first is there */
  rows: Signal<Row[] | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  hasMore: Signal<boolean>;
  more: () => void;
  /** from the first page on; what is shown stays until it is there */
  reload: () => void;
}

/**
 * A list that is read a page at a time. Begins anew when `key` changes. `everyMs` reads the first page again while the page is visible
 * and no further one was asked for, so that nobody loses their place.
 */
export function usePages<Row>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
  { everyMs }: { everyMs?: number | undefined } = {},
): Pages<Row> {
  const rows = useSignal<Row[] | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const isLoading = useSignal(true);
  const next = useSignal<string | null>(null);
  const hasMore = useSignal(false);
  const isFirst = useRef(true);
  const latest = useRef(load);
  latest.current = load;
  const under = useRef<AbortController>(undefined);

  const read = useCallback(async (cursor: string | undefined) => {
    under.current?.abort();
    const mine = new AbortController();
    under.current = mine;
    isLoading.value = true;
    try {
      const page = await latest.current(cursor, mine.signal);
      if (mine.signal.aborted) return;
      rows.value = cursor === undefined ? page.rows : [...(rows.peek() ?? []), ...page.rows];
      next.value = page.next;
      hasMore.value = page.next !== null;
      isFirst.current = cursor === undefined;
      error.value = undefined;
    } catch (thrown) {
      if (mine.signal.aborted || isAbort(thrown)) return;
      error.value = asApiError(thrown);
    }
    isLoading.value = false;
  }, []);

  useEffect(() => {
    rows.value = undefined;
    error.value = undefined;
    hasMore.value = false;
    void read(undefined);
    return () => under.current?.abort();
  }, [key]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden && !isLoading.peek() && isFirst.current) void read(undefined);
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);

  return {
    rows,
    error,
    isLoading,
    hasMore,
    more: () => void (next.peek() !== null && read(next.peek() ?? undefined)),
    reload: () => void read(undefined),
  };
}
