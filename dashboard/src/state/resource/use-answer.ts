import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';

/**
 * Asks the service while the user types: debounced, and a newer question aborts the older one. The previous answer stays
 * until the next or a failure. `isCurrent`: answer or error are of the current question. `key` names all of the
 * question; undefined: there is nothing to ask.
 */
export function useAnswer<Body>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<Body>,
  debounceMs: number,
) {
  const result = useSignal<{ key?: string | undefined; answer?: Body; error?: ApiError }>({});
  const retries = useSignal(0);
  useEffect(() => {
    if (key === undefined) {
      result.value = {};
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      ask(controller.signal).then(
        (answer) => {
          if (!controller.signal.aborted) result.value = { key, answer };
        },
        (thrown: unknown) => {
          if (!controller.signal.aborted && !isAbort(thrown)) result.value = { key, error: asApiError(thrown) };
        },
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, retries.value]);
  const { answer, error } = result.value;
  return { answer, error, isCurrent: result.value.key === key, retry: () => void retries.value++ };
}
