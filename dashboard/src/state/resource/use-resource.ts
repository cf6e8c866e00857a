import { type Signal, useSignal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';
import type { LastResponse } from '../../api/client/client.ts';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { isOffline, useBackOnline } from '../browser.ts';

export interface Resource<Data> {
  /** undefined until the first read of this key succeeds; kept while it is read again */
  data: Signal<Data | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  reload: () => void;
}

/** Reads one resource of the service. `key` names everything that the result depends on. */
export function useResource<Data>(
  key: string,
  load: (signal: AbortSignal, last: LastResponse) => Promise<Data>,
  options: ReadOptions = {},
): Resource<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const { error, isLoading, read } = useReads<Data>(key, {
    ...options,
    load: (_cursor, signal, last) => load(signal, last),
    onResult: (result) => (data.value = result),
    onKeyChange: () => (data.value = undefined),
  });
  return { data, error, isLoading, reload: () => read() };
}

export interface ReadOptions {
  /** refresh interval while the tab is visible */
  everyMs?: number | undefined;
}

interface Reads<Result> extends ReadOptions {
  /** `cursor`: undefined for the first page. `last`: the last response under this key, for one call of each read */
  load: (cursor: string | undefined, signal: AbortSignal, last: LastResponse) => Promise<Result>;
  onResult: (result: Result, cursor: string | undefined) => void;
  /** clears the data of the previous key */
  onKeyChange: () => void;
  canRefresh?: () => boolean;
}

/**
 * Reads on the first render, whenever `key` changes, and every `everyMs`. A newer read aborts the previous one. A
 * failed read sets `error` and keeps the data.
 */
export function useReads<Result>(
  key: string,
  options: Reads<Result>,
): { error: Signal<ApiError | undefined>; isLoading: Signal<boolean>; read: (cursor?: string) => void } {
  const error = useSignal<ApiError | undefined>(undefined);
  const isLoading = useSignal(true);
  const latest = useRef(options);
  latest.current = options;
  const controller = useRef<AbortController>(undefined);
  const last = useRef<LastResponse>({});
  const { everyMs } = options;

  const readNow = useCallback(async (cursor: string | undefined) => {
    controller.current?.abort();
    controller.current = new AbortController();
    const { signal } = controller.current;
    isLoading.value = true;
    try {
      const result = await latest.current.load(cursor, signal, last.current);
      if (signal.aborted) return;
      latest.current.onResult(result, cursor);
      error.value = undefined;
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      error.value = asApiError(thrown);
    }
    isLoading.value = false;
  }, []);
  const read = useCallback((cursor?: string): void => void readNow(cursor), []);

  useEffect(() => {
    latest.current.onKeyChange();
    last.current = {};
    error.value = undefined;
    read();
    return () => controller.current?.abort();
  }, [key]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      // After 401, only the user's Retry asks to sign in again.
      if (error.peek()?.status === 401 || isOffline.peek()) return;
      if (!document.hidden && !isLoading.peek() && latest.current.canRefresh?.() !== false) read();
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);

  useBackOnline(() => error.peek()?.status === 0 && read());

  return { error, isLoading, read };
}

/** Calls `run` whenever `value` changes. The first value, and undefined, are no change. */
export function useOnChange(value: string | number | undefined, run: () => void): void {
  const known = useRef(value);
  useEffect(() => {
    const isChange = known.current !== undefined && value !== undefined && value !== known.current;
    known.current = value ?? known.current;
    if (isChange) run();
  }, [value]);
}
