/** The selection of rows of a list of which all loaded ones are elements. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface RowSelection<Key> {
  /** the selected rows that the list has, in its order */
  keys: readonly Key[];
  /** all rows that can be selected */
  order: readonly Key[];
  has: (key: Key) => boolean;
  /** Selects these rows, or none of them if all were. `isRange`: also those from the last chosen row on. */
  toggle: (rows: readonly Key[], isRange?: boolean) => void;
  selectAll: () => void;
  clear: () => void;
}

/** The part of a selection that keys change. */
export type KeyedSelection = Pick<RowSelection<unknown>, 'keys' | 'selectAll' | 'clear'>;

/** `scope` names the list: another list has another selection. `order`: the rows that can be selected. */
export function useSelection<Key>(scope: string, order: readonly Key[]): RowSelection<Key> {
  const chosen = useSignal<ReadonlySet<Key>>(new Set());
  const anchor = useRef<Key>(undefined);
  const set = (next: Iterable<Key>): void => void (chosen.value = new Set(next));
  useEffect(() => {
    anchor.current = undefined;
    set([]);
  }, [scope]);
  return {
    keys: order.filter((key) => chosen.value.has(key)),
    order,
    has: (key) => chosen.value.has(key),
    toggle(rows, isRange = false) {
      // Read now: several rows may be toggled between two renders.
      const before = chosen.peek();
      if (isRange && anchor.current !== undefined) return set([...before, ...rangeOf(order, anchor.current, rows)]);
      anchor.current = rows.at(-1);
      set(toggled(before, rows));
    },
    selectAll: () => set(order),
    clear: () => set([]),
  };
}

/** Without the rows if all of them are selected, otherwise with them. */
export function toggled<Key>(selected: ReadonlySet<Key>, rows: readonly Key[]): Set<Key> {
  const next = new Set(selected);
  const areAll = rows.every((row) => selected.has(row));
  for (const row of rows) {
    if (areAll) next.delete(row);
    else next.add(row);
  }
  return next;
}

/** The rows from the anchor to these ones, in either direction; only these if the list no longer has the anchor. */
export function rangeOf<Key>(order: readonly Key[], anchor: Key, rows: readonly Key[]): readonly Key[] {
  const places = [anchor, ...rows].map((row) => order.indexOf(row));
  const first = Math.min(...places);
  return first < 0 ? rows : order.slice(first, Math.max(...places) + 1);
}
