import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../api/api-error.ts';

export interface Resource<Data> {
  /** the last that was read; stays while it is read anew, so that nothing jumps */
  data: Signal<Data | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  reload: () => void;
}

/**
 * What a screen shows from the service. Reads when it is first shown and whenever `key` changes (then without the data of the key
 * before); a reading that is overtaken is aborted. `everyMs` reads again while the page is visible.
 */
export function useResource<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs }: { everyMs?: number | undefined } = {},
): Resource<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const isLoading = useSignal(true);
  const latest = useRef(load);
  latest.current = load;
  const under = useRef<AbortController>(undefined);

  const read = useCallback(async () => {
    under.current?.abort();
    const mine = new AbortController();
    under.current = mine;
    isLoading.value = true;
    try {
      const answer = await latest.current(mine.signal);
      if (mine.signal.aborted) return;
      data.value = answer;
      error.value = undefined;
    } catch (thrown) {
      if (mine.signal.aborted || isAbort(thrown)) return;
      error.value = asApiError(thrown);
    }
    isLoading.value = false;
  }, []);

  useEffect(() => {
    data.value = undefined;
    error.value = undefined;
    void read();
    return () => under.current?.abort();
  }, [key]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden && !isLoading.peek()) void read();
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);

  return { data, error, isLoading, reload: () => void read() };
}
