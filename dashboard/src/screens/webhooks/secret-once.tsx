import { useSignal } from '@preact/signals';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/states.tsx';

/** The one time that a secret is shown. Closing before it was copied asks once more, as it cannot be had again. */
export function SecretOnce({
  title,
  secret,
  more,
  onDone,
}: {
  title: string;
  secret: string;
  more: string;
  onDone: () => void;
}) {
  const isCopied = useSignal(false);
  const isWarned = useSignal(false);
  function close(): void {
    if (isCopied.value || isWarned.value) onDone();
    else isWarned.value = true;
  }
  return (
    <Dialog title={title} onClose={close}>
      <div class="dialog-body fields">
        <CopyField label="Secret" text={secret} onCopied={() => (isCopied.value = true)} />
        <p>
          Give it to the receiver, which checks with it that what comes is from here. It is shown this once
          and kept encrypted. {more}
        </p>
        <div role="status">
          {isWarned.value && !isCopied.value && (
            <Notice>
              It was not copied yet, and it cannot be shown again. Close again to go on without.
            </Notice>
          )}
        </div>
      </div>
      <footer>
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
