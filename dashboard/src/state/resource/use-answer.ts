import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';

/**
 * Asks the service while the user types: debounced, and a newer question aborts the older one. The previous answer stays
 * until the next or a failure. `ask` may show parts of an answer before it is complete. `isOwn`: the answer is of the
 * current question; `isCurrent`: it or the error is also complete. `key` names all of the question; undefined: there is
 * nothing to ask.
 */
export function useAnswer<Body>(
  key: string | undefined,
  ask: (signal: AbortSignal, show: (part: Body) => void) => Promise<Body>,
  debounceMs: number,
) {
  const result = useSignal<{ key?: string | undefined; answer?: Body; error?: ApiError; isPart?: true }>({});
  const retries = useSignal(0);
  useEffect(() => {
    if (key === undefined) {
      result.value = {};
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const show = (answer: Body): void => {
        if (!controller.signal.aborted) result.value = { key, answer, isPart: true };
      };
      ask(controller.signal, show).then(
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
  const { answer, error, isPart = false } = result.value;
  const isOwn = result.value.key === key;
  return { answer, error, isOwn, isCurrent: isOwn && !isPart, retry: () => void retries.value++ };
}
