/** Keyboard shortcuts: each screen names its own while it is shown, and `?` lists all that work at this moment. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** as KeyboardEvent.key, or two of them in turn such as `g r` */
  keys: string;
  label: string;
  run: () => void;
}

/** What each component that is shown listens to, as it is at the moment of asking. */
const listening = signal<(() => Shortcut[])[]>([]);
export const areKeysShown = signal(false);

const PREFIX_MS = 1_000;
let prefix: { key: string; at: number } | undefined;

/** Makes the shortcuts work for as long as the component is shown. */
export function useKeys(list: Shortcut[]): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const mine = (): Shortcut[] => latest.current;
    listening.value = [...listening.peek(), mine];
    return () => {
      listening.value = listening.peek().filter((other) => other !== mine);
    };
  }, []);
}

/** Every shortcut that works now; of two with the same keys the innermost comes last. */
export const allShortcuts = (): Shortcut[] => listening.value.flatMap((list) => list());

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (isPress(event)) return;
    if (event.key === '?') return open(event);
    const pressed =
      prefix && event.timeStamp - prefix.at < PREFIX_MS ? `${prefix.key} ${event.key}` : event.key;
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

function open(event: KeyboardEvent): void {
  event.preventDefault();
  areKeysShown.value = true;
}

/** Enter and Space on a link or a button press it, whatever else they may do on the screen. */
function isPress({ key, target }: KeyboardEvent): boolean {
  return (
    (key === 'Enter' || key === ' ') &&
    target instanceof Element &&
    target.matches('a[href], button, summary, input')
  );
}

/** Where letters are text, they are no shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  );
}
