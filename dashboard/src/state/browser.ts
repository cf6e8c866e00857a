/** The browser: its network and its local storage. */
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
