/** The browser: its network, events, clipboard and local storage. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** True without a network. A service that does not respond is an error of the request instead. */
export const isOffline = signal(!navigator.onLine);

export function startConnection(): void {
  const update = (): void => void (isOffline.value = !navigator.onLine);
  addEventListener('online', update);
  addEventListener('offline', update);
}

/** Calls `run` whenever the browser is online again. */
export function useBackOnline(run: () => unknown): void {
  const wasOffline = useRef(false);
  const isNow = isOffline.value;
  useEffect(() => {
    if (wasOffline.current && !isNow) run();
    wasOffline.current = isNow;
  }, [isNow]);
}

/** Listens on the document while the component is mounted. Calls the handler of the latest render. */
export function useListener<Type extends keyof DocumentEventMap>(
  type: Type,
  handler: (event: DocumentEventMap[Type]) => void,
): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const handle = (event: DocumentEventMap[Type]): void => latest.current(event);
    document.addEventListener(type, handle);
    return () => document.removeEventListener(type, handle);
  }, []);
}

/** Rows or a file from another screen or website. Import takes them. */
export const pastedRows: { text?: string | undefined; file?: File | undefined } = {};

/** Takes text and files that are pasted outside fields and dialogs. */
export function usePaste(onPaste: (text: string, file: File | undefined) => void): void {
  useListener('paste', ({ target, clipboardData }) => {
    if (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, dialog')) return;
    onPaste(clipboardData?.getData('text/plain') ?? '', clipboardData?.files[0]);
  });
}

/** Text that is rows for an import: a cell of a spreadsheet, or two lines that begin with a path or a URL. */
export const ROWS = /\t|^(?:\/|http).*\r?\n(?:\/|http)/m;

/** Local storage, or that of the tab alone. */
type Place = 'localStorage' | 'sessionStorage';

/** Reads a value of the browser. Private windows may block it: values are then unset. */
export function readStored(name: string, place: Place = 'localStorage'): string | undefined {
  try {
    return window[place].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `value` undefined removes it. */
export function writeStored(name: string, value: string | undefined, place: Place = 'localStorage'): void {
  try {
    if (value === undefined) window[place].removeItem(name);
    else window[place].setItem(name, value);
  } catch {
    // Blocked.
  }
}
