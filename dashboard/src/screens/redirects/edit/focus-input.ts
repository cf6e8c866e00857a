import type { Draft } from './draft.ts';

/** Focuses a field of the form or row that has a button which disappears with its press. */
export function focusInput(button: Element, name: keyof Draft): void {
  button.closest('form, .grid-row')?.querySelector<HTMLElement>(`input[name=${name}]`)?.focus();
}
