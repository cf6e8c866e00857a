import './rows.css';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Shortcut, useKeys } from '../state/keys.ts';

/** A key of a row: presses what carries `data-key` with its name in that row. */
export interface RowKey {
  /** as KeyboardEvent.key */
  keys: string;
  label: string;
}

export interface Rows {
  ref: RefObject<HTMLDivElement | null>;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocusIn: (event: FocusEvent) => void;
}

/** What makes an element a row: it takes the focus, by the arrows and not by Tab, which goes on to what is in it. */
export const ROW = { 'data-row': '', tabIndex: -1 } as const;

/**
 * Arrow keys for a list of rows (`ROW`) within the element that takes the answer: up, down, Home and End move from row to row, down on
 * the last one asks for more where there is a `<More>`. `keys` do what they do for the row that has the focus, and are listed under
 * `?` with the others. Where the row with the focus goes away, the next one has it.
 */
export function useRows(keys: RowKey[]): Rows {
  const ref = useRef<HTMLDivElement>(null);
  const last = useRef<{ row: HTMLElement; at: number }>(undefined);
  const rows = (): HTMLElement[] => [...(ref.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  useEffect(() => {
    const { row, at } = last.current ?? {};
    if (!row || at === undefined || row.isConnected || document.activeElement !== document.body) return;
    const left = rows();
    left[Math.min(at, left.length - 1)]?.focus();
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
      const does =
        event.target === row && row.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`);
      if (to === undefined && !does) return;
      event.preventDefault();
      if (to !== undefined) moveTo(to);
      else if (does) does.click();
    },
  };
}

/** Those of the rows do their work where the rows hear them; elsewhere they lead there. */
const shortcutsOf = (keys: RowKey[], enter: () => void): Shortcut[] => [
  ...keys.toReversed().map((key) => ({ ...key, run: enter })),
  { keys: 'ArrowDown', label: 'Go into the list; arrows move in it', run: enter },
];

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, select, textarea, pre');
