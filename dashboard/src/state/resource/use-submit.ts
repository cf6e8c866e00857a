import { type Signal, useSignal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/client/api-error.ts';

/**
 * The request of a form. `submit` sends one at a time, and none unless `isReady`. `error`: why the last one failed, in
 * `shared` if that is given.
 */
export function useSubmit(
  send: () => Promise<void>,
  { isReady = true, error: shared }: { isReady?: boolean; error?: Signal<ApiError | undefined> } = {},
) {
  const ownError = useSignal<ApiError | undefined>(undefined);
  const error = shared ?? ownError;
  const isBusy = useSignal(false);
  async function run(): Promise<void> {
    if (!isReady || isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await send();
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  return {
    error,
    isBusy,
    submit(event: Event): void {
      event.preventDefault();
      void run();
    },
  };
}
