/** Changes of the loaded rows: by the user, and of redirects that others have created. */
import { batch, type Signal } from '@preact/signals';
import type { Redirect } from '../../../api/client/wire.ts';
import { mapped, type RowWindow, type Side } from '../../../ui/list/row-window.ts';
import type { NewRows } from './new-rows.ts';

const SIDES = ['head', 'tail'] as const satisfies readonly Side[];

interface State {
  window: Signal<RowWindow<Redirect>>;
  total: Signal<number | undefined>;
  above: Signal<number>;
  start: Signal<{ top: number }>;
}

/** `reload`: loads the rows of the view again. */
export function rowChanges(state: State, newRows: NewRows, reload: () => void) {
  const { window, total, above } = state;
  function addToTotal(change: number): void {
    if (total.value !== undefined) total.value += change;
  }
  function patchAll(ids: ReadonlySet<number>, change: Partial<Redirect>): void {
    window.value = mapped(window.value, (rows) => rows.map((row) => (ids.has(row.id) ? { ...row, ...change } : row)));
  }
  return {
    patchAll,
    patch: (id: number, change: Partial<Redirect>): void => patchAll(new Set([id]), change),

    /** Removes rows. Returns a function that puts them back in place. */
    remove(ids: ReadonlySet<number>): () => void {
      const before = window.value;
      const removed = SIDES.flatMap((side) =>
        before[side].flatMap((row, at) => (ids.has(row.id) ? [{ row, side, at }] : [])),
      );
      window.value = mapped(before, (rows) => rows.filter(({ id }) => !ids.has(id)));
      addToTotal(-removed.length);
      return () =>
        batch(() => {
          const next = mapped(window.value, (rows) => [...rows]);
          for (const { row, side, at } of removed) next[side] = next[side].toSpliced(at, 0, row);
          window.value = next;
          addToTotal(removed.length);
        });
    },

    /** A new row comes first in every order, so that the user sees it. */
    prepend(row: Redirect): void {
      newRows.has(row.id);
      window.value = { ...window.value, head: [row, ...window.value.head] };
      addToTotal(1);
    },

    /** Shows the redirects that others have created above the rows, like those of the user. */
    showNew(): void {
      const added = newRows.rows.value;
      if (newRows.areMany.value || above.value > 0) return reload();
      batch(() => {
        window.value = { ...window.value, head: [...added, ...window.value.head] };
        addToTotal(added.length);
        state.start.value = { top: 0 };
        for (const { id } of added) newRows.has(id);
      });
    },
  };
}
