/** Keyboard shortcuts: components register theirs while they are mounted, and `?` lists all of them. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** a KeyboardEvent.key, a sequence of two such as `g r`, or `Mod+` or `Mod+Shift+` a key with Ctrl or Cmd, also while typing */
  keys: string;
  label: string;
  run: () => void;
  /** of a `Mod+` key that fields have a use for */
  isLeftToFields?: boolean;
}

/** One getter for each mounted component; it returns the shortcuts of the latest render. */
const registered = signal<(() => Shortcut[])[]>([]);
export const areKeysShown = signal(false);

const PREFIX_MS = 1_000;
let prefix: { key: string; at: number } | undefined;

/** Registers shortcuts while the component is mounted. */
export function useKeys(list: Shortcut[]): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const getter = (): Shortcut[] => latest.current;
    registered.value = [...registered.peek(), getter];
    return () => {
      registered.value = registered.peek().filter((other) => other !== getter);
    };
  }, []);
}

/** All active shortcuts, innermost component last. If two have the same keys, the last one wins. */
export const allShortcuts = (): Shortcut[] => registered.value.flatMap((list) => list());

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.isComposing || event.defaultPrevented) return;
    if (event.metaKey || event.ctrlKey) return runWithMod(event);
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (isActivation(event)) return;
    if (event.key === '?') return open(event);
    const pressed = prefix && event.timeStamp - prefix.at < PREFIX_MS ? `${prefix.key} ${event.key}` : event.key;
    prefix = undefined;
    const all = allShortcuts().toReversed();
    const found = all.find((shortcut) => shortcut.keys === pressed);
    if (found) {
      event.preventDefault();
      found.run();
    } else if (all.some((shortcut) => shortcut.keys.startsWith(`${event.key} `))) {
      prefix = { key: event.key, at: event.timeStamp };
    }
  });
}

/** Keeps the browser's own action for this key from running while a dialog is open. */
function runWithMod(event: KeyboardEvent): void {
  const shift = event.shiftKey ? 'Shift+' : '';
  const found = allShortcuts().findLast(({ keys }) => keys === `Mod+${shift}${event.key.toLowerCase()}`);
  if (!found || (found.isLeftToFields && isTyping(event.target))) return;
  event.preventDefault();
  if (!document.querySelector('dialog[open]')) found.run();
}

function open(event: KeyboardEvent): void {
  event.preventDefault();
  areKeysShown.value = true;
}

/** Enter and Space on a link or a button activate it, even if a shortcut has the same key. */
function isActivation({ key, target }: KeyboardEvent): boolean {
  return (
    (key === 'Enter' || key === ' ') && target instanceof Element && target.matches('a[href], button, summary, input')
  );
}

/** True for elements that take text: letters are no shortcuts there. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
}
