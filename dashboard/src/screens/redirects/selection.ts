import { signal } from '@preact/signals';
import type { BulkSelection, RedirectFilter } from '../../api/redirects.ts';
import type { RedirectList } from './redirect-list.ts';
import type { View } from './view.ts';

/** The most ids that one call may name; more are meant by a filter. */
const MAX_IDS = 10_000;

export type Selection = ReturnType<typeof createSelection>;

/** What the bulk operations work on. */
export interface BulkProps {
  list: RedirectList;
  selection: Selection;
  view: View;
}

/** Which rows are selected: some by hand, or all that the filter matches, those not read yet included. */
export function createSelection(list: RedirectList) {
  const ids = signal<ReadonlySet<number>>(new Set());
  const isAll = signal(false);
  /** where a selection by Shift begins */
  let anchor: number | undefined;

  function set(next: Iterable<number>): void {
    ids.value = new Set(next);
    isAll.value = false;
  }

  return {
    ids,
    isAll,
    has: (id: number): boolean => isAll.value || ids.value.has(id),
    /** undefined where all are selected and not counted yet */
    count: (): number | undefined => (isAll.value ? list.total.value : ids.value.size),
    isEmpty: (): boolean => !isAll.value && ids.value.size === 0,

    toggle(id: number): void {
      const next = new Set(isAll.value ? list.rows.value.map((row) => row.id) : ids.value);
      if (!next.delete(id)) next.add(id);
      anchor = id;
      set(next);
    },

    /** From the row that was chosen last to this one. */
    extendTo(id: number): void {
      const order = list.rows.value.map((row) => row.id);
      const [from, to] = [order.indexOf(anchor ?? id), order.indexOf(id)].toSorted((a, b) => a - b);
      set([...ids.value, ...order.slice(Math.max(0, from ?? 0), (to ?? 0) + 1)]);
    },

    /** The rows at hand; a second time all that match. */
    all(): void {
      const shown = list.rows.value.map((row) => row.id);
      const hasAll = shown.length > 0 && shown.every((id) => ids.value.has(id));
      if ((hasAll && list.hasMore.value) || shown.length > MAX_IDS) isAll.value = true;
      else set(shown);
    },

    everything(): void {
      isAll.value = true;
    },

    clear(): void {
      anchor = undefined;
      set([]);
    },

    /** As a bulk call wants it. */
    asked: (filter: RedirectFilter): BulkSelection =>
      isAll.value ? { filter } : { redirectIds: [...ids.value] },
  };
}
