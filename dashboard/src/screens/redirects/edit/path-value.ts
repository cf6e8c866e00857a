import { shownPath, storedEdit } from '../../../ui/text/path-parts.ts';
import type { DraftState } from './use-draft.ts';

/** The value of a path field: decoded, except in a pattern. An edit keeps the rest of the path as it is stored. */
export function pathField({ draft, onChange }: Pick<DraftState, 'draft' | 'onChange'>, name: 'old_path' | 'new_path') {
  const path = draft[name];
  const { is_regex: isPattern } = draft;
  return {
    value: isPattern ? path : shownPath(path).text,
    onText: (text: string): void => onChange({ [name]: isPattern ? text : storedEdit(path, text) }),
  };
}
