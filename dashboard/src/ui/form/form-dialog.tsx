import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../../api/client/api-error.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { submitOnCtrlEnter } from './field.tsx';

/**
 * A dialog with a form. It stays open after a failed request and passes the error to its children. Closing it asks if
 * the user has changed a field. The service validates values; only a field with `data-checked` does so itself.
 */
export function FormDialog({
  title,
  verb,
  kind = 'primary',
  cancelLabel = 'Cancel',
  isReady = true,
  isDisposable = false,
  onSend,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  kind?: 'primary' | 'danger';
  cancelLabel?: string;
  isReady?: boolean;
  /** closes without asking */
  isDisposable?: boolean;
  onSend: () => Promise<void>;
  onClose: () => void;
  children: (error: ApiError | undefined, isBusy: boolean) => ComponentChildren;
}) {
  const { error, isBusy, submit } = useSubmit(onSend, { isReady });
  const form = useRef<HTMLFormElement>(null);
  const start = useRef('');
  useEffect(() => {
    start.current = valuesOf(form.current);
  }, []);
  // A request that succeeds closes the dialog.
  const close = useUnsaved(() => !isDisposable && !isBusy.value && valuesOf(form.current) !== start.current);
  return (
    <Dialog title={title} onClose={() => close(onClose)} onKeyDown={submitOnCtrlEnter}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          const invalid = form.current?.querySelector<HTMLTextAreaElement>('[data-checked]:invalid');
          if (!invalid) return submit(event);
          event.preventDefault();
          invalid.reportValidity();
        }}
      >
        <div class="dialog-body fields">{children(error.value, isBusy.value)}</div>
        <footer>
          <Button kind="quiet" onClick={() => close(onClose)}>
            {cancelLabel}
          </Button>
          <Button kind={kind} type="submit" disabled={!isReady} isBusy={isBusy.value}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The values of all fields, except passwords, which are quickly typed again. */
function valuesOf(form: HTMLFormElement | null): string {
  const values = [...(form?.elements ?? [])].map((field) => {
    if (field instanceof HTMLInputElement) {
      return field.type === 'password'
        ? ''
        : field.matches('[type=checkbox], [type=radio]')
          ? field.checked
          : field.value;
    }
    return field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement ? field.value : '';
  });
  return JSON.stringify(values);
}
