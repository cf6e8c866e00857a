import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ApiError } from '../api/api-error.ts';
import { type ReadOptions, useReads } from './use-reads.ts';

export interface PageOf<Row> {
  rows: Row[];
  /** cursor of the next page; null on the last page */
  next: string | null;
}

export interface Pages<Row> {
  /** of all pages read so far; undefined until the first read of this key succeeds */
  rows: Signal<Row[] | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  hasMore: Signal<boolean>;
  /** reads the next page */
  more: () => void;
  /** reads the first page again; the rows stay until it arrives */
  reload: () => void;
}

/**
 * Reads a list page by page. `everyMs` refreshes only while a single page is shown, so that readers keep their place.
 */
export function usePages<Row>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
  options: ReadOptions = {},
): Pages<Row> {
  const rows = useSignal<Row[] | undefined>(undefined);
  const hasMore = useSignal(false);
  const next = useRef<string | null>(null);
  const isFirstPage = useRef(true);
  const { error, isLoading, read } = useReads<PageOf<Row>>(key, {
    ...options,
    load,
    onResult(page, cursor) {
      isFirstPage.current = cursor === undefined;
      rows.value = cursor === undefined ? page.rows : [...(rows.peek() ?? []), ...page.rows];
      next.current = page.next;
      hasMore.value = page.next !== null;
    },
    onKeyChange() {
      rows.value = undefined;
      hasMore.value = false;
    },
    canRefresh: () => isFirstPage.current,
  });
  return {
    rows,
    error,
    isLoading,
    hasMore,
    more: () => next.current !== null && read(next.current),
    reload: () => read(),
  };
}
