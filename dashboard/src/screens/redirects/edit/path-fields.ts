/** The fields of the source and the target, in the form and in a row. */
import { shownPath, storedEdit } from '../../../ui/text/path-parts.ts';
import type { DraftState } from './use-draft.ts';

type PathName = 'old_path' | 'new_path';

/** The value of a path field: decoded, except in a pattern. An edit keeps the rest of the path as it is stored. */
export function pathField({ draft, onChange }: Pick<DraftState, 'draft' | 'onChange'>, name: PathName) {
  const path = draft[name];
  const { is_regex: isPattern } = draft;
  return {
    value: isPattern ? path : shownPath(path).text,
    onText: (text: string): void => onChange({ [name]: isPattern ? text : storedEdit(path, text) }),
  };
}

/** Focuses a field beside a button that disappears with its press. */
export function focusInput(button: Element, name: PathName): void {
  button.closest('form, .grid-row')?.querySelector<HTMLElement>(`input[name=${name}]`)?.focus();
}
