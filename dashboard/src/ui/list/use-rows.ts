import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Shortcut, useKeys } from '../../state/keys.ts';
import type { KeyedSelection } from './use-selection.ts';

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
 * `?`. With `selection`, Space, Shift with arrows, Ctrl+A and Escape change it. If the focused row disappears, the next
 * one gets the focus.
 */
export function useRows(keys: RowKey[], selection?: KeyedSelection): Rows {
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
  /** The effect of a key at a row; undefined if it has none. */
  function commandOf({ key, target, ctrlKey, shiftKey }: KeyboardEvent, row: HTMLElement): (() => void) | undefined {
    const all = rows();
    const at = all.indexOf(row);
    if (ctrlKey || shiftKey) {
      const by = shiftKey && !ctrlKey ? STEPS[key] : undefined;
      if (by !== undefined && selection) return () => [row, all[at + by]].forEach(select);
      return ctrlKey && key === 'a' ? selection?.selectAll : undefined;
    }
    if (key === 'Escape' && selection && selection.keys.length > 0) return selection.clear;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[key];
    if (to !== undefined) return () => moveTo(to);
    const name = key === ' ' && selection ? 'x' : key;
    const button = target === row ? keyOf(row, name) : undefined;
    return button ? () => button.click() : undefined;
  }
  return {
    ref,
    onFocusIn({ target }) {
      const row = rowOf(target);
      if (row) last.current = { row, at: rows().indexOf(row) };
    },
    onKeyDown(event) {
      if (event.metaKey || event.altKey || isField(event.target)) return;
      const row = rowOf(event.target);
      const command = row && commandOf(event, row);
      if (!command) return;
      event.preventDefault();
      command();
    },
  };
}

const STEPS: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 };

/** Focuses a row and selects it, if it can be selected. */
function select(row: HTMLElement | undefined): void {
  row?.focus();
  const box = row?.querySelector<HTMLInputElement>('[data-key="x"]');
  if (box && !box.checked) box.click();
}

/** Rows handle their own keys while they have the focus; elsewhere the keys focus the list. */
export const shortcutsOf = (keys: RowKey[], enter: () => void): Shortcut[] => [
  ...keys.toReversed().map((key) => ({ ...key, run: enter })),
  { keys: 'ArrowDown', label: 'Focus the list, then move with the arrow keys', run: enter },
];

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;

/** The element of the key in the row itself, not in rows inside of it. */
const keyOf = (row: HTMLElement, key: string): HTMLElement | undefined =>
  [...row.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)].find((each) => rowOf(each) === row);

/** The row after the one of an element, otherwise that one. */
export function rowAfter(element: Element | undefined): HTMLElement | undefined {
  const row = element?.closest<HTMLElement>('[data-row]');
  const next = row?.nextElementSibling;
  return next?.matches('[data-row]') ? (next as HTMLElement) : (row ?? undefined);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea, pre');
