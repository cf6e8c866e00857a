/** Whether the browser has a network. A service that does not respond is an error of the request instead. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

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
