import { type Signal, useSignal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/client/api-error.ts';

export interface Submission {
  /** why the last request failed */
  error: Signal<ApiError | undefined>;
  isBusy: Signal<boolean>;
  submit: (event: Event) => void;
}

/**
 * The request of a form. `submit` sends one at a time, and none unless `isReady`. `error`: a signal to use for the
 * error.
 */
export function useSubmit(
  send: () => Promise<void>,
  options: { isReady?: boolean; error?: Submission['error'] } = {},
): Submission {
  const { isReady = true } = options;
  const ownError = useSignal<ApiError | undefined>(undefined);
  const error = options.error ?? ownError;
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
    submit(event) {
      event.preventDefault();
      void run();
    },
  };
}
