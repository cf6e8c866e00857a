import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { asApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Problem } from './states.tsx';

/** Asks before what cannot be taken back, and only then. `typed`: a word that must be written first, where very much goes. */
export function Confirm({
  title,
  verb,
  typed,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  typed?: string | undefined;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const isBusy = useSignal(false);
  const text = useSignal('');
  const error = useSignal<ReturnType<typeof asApiError> | undefined>(undefined);
  const isReady = typed === undefined || text.value.trim() === typed;
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!isReady || isBusy.value) return;
    isBusy.value = true;
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      error.value = asApiError(thrown);
      isBusy.value = false;
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="dialog-body fields">
          <div>{children}</div>
          {typed !== undefined && (
            <TextField
              label={`Type ${typed} to confirm`}
              value={text.value}
              onText={(value) => (text.value = value)}
              isCode
            />
          )}
          {error.value && <Problem error={error.value} />}
        </div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="danger" type="submit" disabled={!isReady || isBusy.value}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
