import { signal } from '@preact/signals';
import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import { listRows } from '../../api/imports.ts';
import type { CheckedRow } from '../../api/wire.ts';

const PAGE_ROWS = 200;
/** Pages that are kept: whoever scrolls through a million rows does not gather them. */
const KEPT_PAGES = 30;
/** A scroll bar that is dragged passes pages that nobody looks at. */
const STILL_MS = 90;

export type RowWindow = ReturnType<typeof createRowWindow>;

/** The rows of a checked file by their place, read a page at a time as they come into view. */
export function createRowWindow(importId: string, verdict: Verdict | undefined) {
  const pages = new Map<number, CheckedRow[]>();
  const version = signal(0);
  const error = signal<ApiError | undefined>(undefined);
  let under = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted: number[] = [];

  async function load(): Promise<void> {
    under.abort();
    under = new AbortController();
    const { signal: mine } = under;
    try {
      for (const page of wanted) {
        if (pages.has(page)) continue;
        const window = { verdict, offset: page * PAGE_ROWS, limit: PAGE_ROWS };
        const { rows } = await listRows(importId, window, mine);
        if (mine.aborted) return;
        keep(page, rows);
        error.value = undefined;
        version.value++;
      }
    } catch (thrown) {
      if (!mine.aborted && !isAbort(thrown)) error.value = asApiError(thrown);
    }
  }

  function keep(page: number, rows: CheckedRow[]): void {
    pages.set(page, rows);
    const [oldest] = pages.keys();
    if (pages.size > KEPT_PAGES && oldest !== undefined) pages.delete(oldest);
  }

  return {
    /** read it where rows are shown, so that they are shown again when more have come */
    version,
    error,
    row: (at: number): CheckedRow | undefined => pages.get(Math.floor(at / PAGE_ROWS))?.[at % PAGE_ROWS],
    /** The rows from `first` up to `end` are in view. */
    show(first: number, end: number): void {
      const pagesOf = Array.from(
        { length: Math.ceil(end / PAGE_ROWS) - Math.floor(first / PAGE_ROWS) },
        (_, at) => Math.floor(first / PAGE_ROWS) + at,
      );
      if (pagesOf.join() === wanted.join()) return;
      wanted = pagesOf;
      clearTimeout(timer);
      if (wanted.every((page) => pages.has(page))) return;
      timer = setTimeout(() => void load(), pages.size === 0 ? 0 : STILL_MS);
    },
    stop(): void {
      clearTimeout(timer);
      under.abort();
    },
  };
}
