import { signal as createSignal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';
import { listRows } from '../../api/imports.ts';
import type { CheckedRow, FileImported } from '../../api/client/wire.ts';
import type { Verdict } from '../../../../src/vocabulary/import/verdict.ts';

const PAGE_ROWS = 200;
/** Limits memory while scrolling through a million rows. */
const MAX_CACHED_PAGES = 30;
/** Skips pages that a dragged scroll bar only passes. */
const DEBOUNCE_MS = 90;

export type VerdictCounts = NonNullable<FileImported['verdicts']>;

/** Rows that need a decision come first, unchanged ones last. */
export const VERDICT_ORDER = ['invalid', 'repeated', 'skipped', 'replaces', 'new', 'unchanged'] as const;

export const rowsIn = (counts: VerdictCounts): number =>
  VERDICT_ORDER.reduce((sum, verdict) => sum + counts[verdict], 0);

/** A range of the rows of one verdict. */
interface RowRange {
  verdict: Verdict;
  offset: number;
  limit: number;
}

/** The ranges that make up the rows `first` up to, excluding, `end`; of one verdict if `only` is given. */
export function rangesOf(counts: VerdictCounts, only: Verdict | undefined, first: number, end: number): RowRange[] {
  let start = 0;
  return (only ? [only] : VERDICT_ORDER).flatMap((verdict) => {
    const offset = Math.max(first - start, 0);
    const limit = Math.min(end - start, counts[verdict]) - offset;
    start += counts[verdict];
    return limit > 0 ? [{ verdict, offset, limit }] : [];
  });
}

/** The rows of a checked file by index, or those of one verdict, loaded by page as they become visible. */
export function createPageCache(importId: string, counts: VerdictCounts, only: Verdict | undefined) {
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
        const ranges = rangesOf(counts, only, page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
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
