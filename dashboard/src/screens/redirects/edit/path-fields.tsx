/** The fields of the source and the target, in the form and in a row. */
import { directionParts, shownPath, storedEdit } from '../../../ui/text/path-parts.ts';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
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

/** Below a field whose path is partly written from right to left: an input cannot keep the order of such segments. */
export function ReadsAs({ path }: { path: string }) {
  if (!directionParts(shownPath(path).text).some(({ isIsolated }) => isIsolated)) return null;
  return (
    <p class="small muted break">
      Reads as: <WrappedPath path={path} />
    </p>
  );
}

/** Focuses a field beside a button that disappears with its press. */
export function focusInput(button: Element, name: PathName): void {
  button.closest('form, .grid-row')?.querySelector<HTMLElement>(`input[name=${name}]`)?.focus();
}
