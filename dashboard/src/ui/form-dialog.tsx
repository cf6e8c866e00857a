import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** A dialog that asks for something and sends it: what failed is handed to its fields, and it stays open then. */
export function FormDialog({
  title,
  verb,
  leave = 'Cancel',
  isReady = true,
  onSend,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  leave?: string;
  isReady?: boolean;
  onSend: () => Promise<void>;
  onClose: () => void;
  children: (error: ApiError | undefined, isBusy: boolean) => ComponentChildren;
}) {
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!isReady || isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await onSend();
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <div class="dialog-body fields">{children(error.value, isBusy.value)}</div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            {leave}
          </Button>
          <Button kind="primary" type="submit" disabled={!isReady || isBusy.value}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
