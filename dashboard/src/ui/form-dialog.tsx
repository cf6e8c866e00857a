import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/api-error.ts';
import { useSubmit } from '../state/use-submit.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** A dialog with a form. It stays open after a failed request and passes the error to its children. */
export function FormDialog({
  title,
  verb,
  kind = 'primary',
  cancelLabel = 'Cancel',
  isReady = true,
  onSend,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  kind?: 'primary' | 'danger';
  cancelLabel?: string;
  isReady?: boolean;
  onSend: () => Promise<void>;
  onClose: () => void;
  children: (error: ApiError | undefined, isBusy: boolean) => ComponentChildren;
}) {
  const { error, isBusy, submit } = useSubmit(onSend, { isReady });
  return (
    <Dialog title={title} onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <div class="dialog-body fields">{children(error.value, isBusy.value)}</div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button kind={kind} type="submit" disabled={!isReady || isBusy.value}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
