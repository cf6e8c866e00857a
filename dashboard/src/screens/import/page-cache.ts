import { signal as createSignal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';
import { listRows } from '../../api/imports.ts';
import type { CheckedRow } from '../../api/client/wire.ts';
import type { RowRange } from './rows/verdict-order.ts';

const PAGE_ROWS = 200;
/** Limits memory while scrolling through a million rows. */
const MAX_CACHED_PAGES = 30;
/** Skips pages that a dragged scroll bar only passes. */
const DEBOUNCE_MS = 90;

/** The rows of a checked file by index, loaded by page as they become visible. `rangesOf`: the rows of a page. */
export function createPageCache(importId: string, rangesOf: (first: number, end: number) => RowRange[]) {
  const pages = new Map<number, CheckedRow[]>();
  const version = createSignal(0);
  const error = createSignal<ApiError | undefined>(undefined);
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted: number[] = [];

  async function load(): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    try {
      for (const page of wanted) {
        if (pages.has(page)) continue;
        const ranges = rangesOf(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
        const parts = await Promise.all(ranges.map((range) => listRows(importId, range, signal)));
        if (signal.aborted) return;
        cache(
          page,
          parts.flatMap(({ rows }) => rows),
        );
        error.value = undefined;
        version.value++;
      }
    } catch (thrown) {
      if (!signal.aborted && !isAbort(thrown)) error.value = asApiError(thrown);
    }
  }

  function cache(page: number, rows: CheckedRow[]): void {
    pages.set(page, rows);
    const [oldest] = pages.keys();
    if (pages.size > MAX_CACHED_PAGES && oldest !== undefined) pages.delete(oldest);
  }

  return {
    /** increases whenever rows arrive; read it to render again */
    version,
    error,
    row: (at: number): CheckedRow | undefined => pages.get(Math.floor(at / PAGE_ROWS))?.[at % PAGE_ROWS],
    /** Loads the visible rows from `first` up to, excluding, `end`. */
    show(first: number, end: number): void {
      const start = Math.floor(first / PAGE_ROWS);
      const pagesOf = Array.from({ length: Math.ceil(end / PAGE_ROWS) - start }, (_, at) => start + at);
      if (pagesOf.join() === wanted.join()) return;
      wanted = pagesOf;
      clearTimeout(timer);
      if (wanted.every((page) => pages.has(page))) return;
      timer = setTimeout(() => void load(), pages.size === 0 ? 0 : DEBOUNCE_MS);
    },
    stop(): void {
      clearTimeout(timer);
      controller.abort();
    },
  };
}
