import { passwordPrompt, signInPrompt } from './prompts.ts';

/**
 * Runs `work`, and holds back the keys that the user types meanwhile. Types them afterwards where the focus is then, so
 * that fast typing does not end in the place that the user has left. Discards them if `work` returns false or rejects, and
 * if it asks the user for a password: the keys are for that dialog.
 */
export async function holdKeys(work: () => Promise<boolean>): Promise<void> {
  const held: KeyboardEvent[] = [];
  function hold(event: KeyboardEvent): void {
    if (!event.isTrusted || event.ctrlKey || event.metaKey || event.altKey) return;
    if (signInPrompt.settle.value ?? passwordPrompt.settle.value) return void held.splice(0);
    event.preventDefault();
    event.stopImmediatePropagation();
    held.push(event);
  }
  window.addEventListener('keydown', hold, { capture: true });
  try {
    if (!(await work())) return;
    for (let key = held.shift(); key; key = held.shift()) {
      await rendered();
      type(key);
    }
  } finally {
    window.removeEventListener('keydown', hold, { capture: true });
  }
}

/** Resolves once the pending changes are on the page. */
export const rendered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Sends the key to the focused element, then does what the browser does with a key that is not handled. */
function type({ key, code, shiftKey }: KeyboardEvent): void {
  const target = document.activeElement ?? document.body;
  const event = new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true });
  if (!target.dispatchEvent(event)) return;
  if (key === 'Tab') focusNext(target, shiftKey ? -1 : 1);
  else if (isTextField(target)) edit(key);
  else if ((key === ' ' || key === 'Enter') && target instanceof HTMLElement) target.click();
}

/** Inserts as the browser does: with an input event, and for Ctrl+Z. */
function edit(key: string): void {
  if (key === 'Backspace') document.execCommand('delete');
  else if (key.length === 1) document.execCommand('insertText', false, key);
}

const isTextField = (element: Element): boolean =>
  element.matches('textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit])');

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]';

function focusNext(from: Element, step: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (each) => each === from || (each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility()),
  );
  const next = all[all.indexOf(from as HTMLElement) + step];
  next?.focus();
  if (next instanceof HTMLInputElement) next.select();
}
