import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type ReadOptions, type Resource, useReads } from './use-resource.ts';

export interface Pages<Row> extends Resource<Row[]> {
  hasMore: Signal<boolean>;
  /** reads the next page */
  more: () => void;
}

/**
 * Reads a list page by page; `data` has the rows of all pages so far, and `reload` reads the first one. `everyMs`
 * refreshes only while a single page is shown, so that readers keep their place.
 */
export function usePages<Row, Page extends { next_cursor: string | null }>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
  options: ReadOptions = {},
): Pages<Row> {
  const data = useSignal<Row[] | undefined>(undefined);
  const hasMore = useSignal(false);
  const next = useRef<string | null>(null);
  const isFirstPage = useRef(true);
  const { error, isLoading, read } = useReads<Page>(key, {
    ...options,
    load,
    onResult(page, cursor) {
      isFirstPage.current = cursor === undefined;
      data.value = cursor === undefined ? rowsOf(page) : [...(data.peek() ?? []), ...rowsOf(page)];
      next.current = page.next_cursor;
      hasMore.value = page.next_cursor !== null;
    },
    onKeyChange() {
      data.value = undefined;
      hasMore.value = false;
    },
    canRefresh: () => isFirstPage.current,
  });
  return {
    data,
    error,
    isLoading,
    hasMore,
    more: () => next.current !== null && read(next.current),
    reload: () => read(),
  };
}
