import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Shortcut, useKeys } from '../../state/keys.ts';

/** A shortcut of a row: clicks the element in that row whose `data-key` has its name. */
export interface RowKey {
  /** a KeyboardEvent.key */
  keys: string;
  label: string;
}

export interface Rows {
  ref: RefObject<HTMLDivElement | null>;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocusIn: (event: FocusEvent) => void;
}

/** Attributes of a row: arrow keys focus it, Tab skips it and goes to its content. */
export const ROW = { 'data-row': '', tabIndex: -1 } as const;

/**
 * Keyboard navigation for a list of rows (`ROW`). Spread the result on the element around them. Arrow keys, Home and
 * End move the focus; down on the last row activates `<LoadMore>`. `keys` apply to the focused row and are listed under
 * `?`. If the focused row disappears, the next one gets the focus.
 */
export function useRows(keys: RowKey[]): Rows {
  const ref = useRef<HTMLDivElement>(null);
  const last = useRef<{ row: HTMLElement; at: number }>(undefined);
  const rows = (): HTMLElement[] => [...(ref.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  useEffect(() => {
    const { row, at } = last.current ?? {};
    if (!row || at === undefined || row.isConnected || document.activeElement !== document.body) return;
    const remaining = rows();
    remaining[Math.min(at, remaining.length - 1)]?.focus();
  });
  const enter = (): void => (last.current?.row.isConnected ? last.current.row : rows()[0])?.focus();
  useKeys(shortcutsOf(keys, enter));

  function moveTo(at: number): void {
    const all = rows();
    all[Math.max(0, Math.min(all.length - 1, at))]?.focus();
    if (at >= all.length) ref.current?.querySelector<HTMLElement>('.more > .button')?.click();
  }
  return {
    ref,
    onFocusIn({ target }) {
      const row = rowOf(target);
      if (row) last.current = { row, at: rows().indexOf(row) };
    },
    onKeyDown(event) {
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || isField(event.target)) return;
      const row = rowOf(event.target);
      if (!row) return;
      const at = rows().indexOf(row);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows().length - 1 }[event.key];
      const button = event.target === row && row.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`);
      if (to === undefined && !button) return;
      event.preventDefault();
      if (to !== undefined) moveTo(to);
      else if (button) button.click();
    },
  };
}

/** Rows handle their own keys while they have the focus; elsewhere the keys focus the list. */
export const shortcutsOf = (keys: RowKey[], enter: () => void): Shortcut[] => [
  ...keys.toReversed().map((key) => ({ ...key, run: enter })),
  { keys: 'ArrowDown', label: 'Focus the list, then move with the arrow keys', run: enter },
];

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, select, textarea, pre');
