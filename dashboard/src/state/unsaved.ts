/** Forms with unsaved changes. Whatever leaves one asks first: closing, another page, Back, and closing the tab. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { onLeave } from '../router.ts';

interface Form {
  isChanged: () => boolean;
}

const forms = new Set<Form>();

/** Leaves after the user has discarded the changes; undefined: the dialog is closed. */
export const discardPrompt = signal<(() => void) | undefined>(undefined);

/** Runs `leave`, if any of `left` has changes only after the user has discarded them. Returns true if it ran. */
function leaveForms(left: Iterable<Form>, leave: () => void): boolean {
  const changed = [...left].filter((form) => form.isChanged());
  if (changed.length === 0) {
    leave();
    return true;
  }
  discardPrompt.value = () => {
    for (const form of changed) forms.delete(form);
    leave();
  };
  return false;
}

/** Runs `leave`, which removes all forms from the screen. */
export const leaveScreen = (leave: () => void): boolean => leaveForms(forms, leave);

/** Lets the page reload without asking. */
export const discardAll = (): void => forms.clear();

export function startUnsaved(): void {
  onLeave((proceed) => {
    if ([...forms].every((form) => !form.isChanged())) return true;
    return leaveForms(forms, proceed);
  });
  addEventListener('beforeunload', (event) => {
    if ([...forms].some((form) => form.isChanged())) event.preventDefault();
  });
}

/**
 * Asks before unsaved changes of a form are lost. Returns the function that closes the form: it runs `close` at once if
 * nothing has changed.
 */
export function useUnsaved(isChanged: () => boolean): (close: () => void) => void {
  const form = useRef<Form>({ isChanged }).current;
  form.isChanged = isChanged;
  useEffect(() => {
    forms.add(form);
    return () => void forms.delete(form);
  }, []);
  return (close) => void leaveForms(forms.has(form) ? [form] : [], close);
}
