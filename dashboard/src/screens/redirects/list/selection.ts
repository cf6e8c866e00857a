import { signal } from '@preact/signals';
import type { BulkSelection, RedirectFilter } from '../../../api/redirects.ts';
import { toast } from '../../../state/toasts.ts';
import type { RedirectList } from './redirect-list.ts';

/** Limit of ids in one request; larger selections use the filter. */
const MAX_IDS = 10_000;

export type Selection = ReturnType<typeof createSelection>;

/** The selected rows: single ones, or all that match the filter, including those not loaded. */
export function createSelection(list: RedirectList) {
  const ids = signal<ReadonlySet<number>>(new Set());
  const isAll = signal(false);
  /** start of a range selection */
  let anchor: number | undefined;

  function set(next: Iterable<number>): void {
    ids.value = new Set(next);
    isAll.value = false;
  }

  return {
    ids,
    isAll,
    has: (id: number): boolean => isAll.value || ids.value.has(id),
    /** undefined if all are selected and the total is not known yet */
    count: (): number | undefined => (isAll.value ? list.total.value : ids.value.size),
    isEmpty: (): boolean => !isAll.value && ids.value.size === 0,

    toggle(id: number): void {
      const next = new Set(isAll.value ? list.rows.value.map((row) => row.id) : ids.value);
      if (!next.delete(id)) next.add(id);
      anchor = id;
      set(next);
    },

    /** Selects the rows from the last chosen one to this one. */
    extendTo(id: number): void {
      const order = list.rows.value.map((row) => row.id);
      const [from = 0, to = 0] = [order.indexOf(anchor ?? id), order.indexOf(id)].toSorted((a, b) => a - b);
      const head = list.window.value.head.length;
      if (list.hasMore.value && from < head && to >= head) {
        toast('Some rows between these are not loaded. Scroll through them first, or select all.');
        return;
      }
      set([...ids.value, ...order.slice(Math.max(0, from), to + 1)]);
    },

    /** Selects the loaded rows; if they are selected already, all that match the filter. */
    selectLoaded(): void {
      const shown = list.rows.value.map((row) => row.id);
      const hasAll = shown.length > 0 && shown.every((id) => ids.value.has(id));
      if ((hasAll && list.hasMore.value && !list.isBehind()) || shown.length > MAX_IDS) isAll.value = true;
      else set(shown);
    },

    selectAll(): void {
      isAll.value = true;
    },

    clear(): void {
      anchor = undefined;
      set([]);
    },

    /** The selection for a bulk request. */
    toBulk: (filter: RedirectFilter): BulkSelection => (isAll.value ? { filter } : { redirectIds: [...ids.value] }),
  };
}
