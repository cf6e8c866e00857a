import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { saveFile } from './copy-button.tsx';
import { Notice } from './page/states.tsx';

/** Shows a secret that cannot be shown again. The first attempt to close it without copying shows a warning. */
export function OneTimeSecret({
  title,
  fileName,
  onDone,
  children,
  ...field
}: Pick<Parameters<typeof CopyField>[0], 'label' | 'text' | 'rows'> & {
  title: string;
  /** offers the text as a file */
  fileName?: string;
  onDone: () => void;
  children: ComponentChildren;
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
        <CopyField {...field} onCopied={() => (isCopied.value = true)}>
          {fileName !== undefined && (
            <Button
              icon="import"
              onClick={() => {
                saveFile({ name: fileName, content: new Blob([`${field.text}\n`], { type: 'text/plain' }) });
                isCopied.value = true;
              }}
            >
              Download
            </Button>
          )}
        </CopyField>
        {children}
        <div role="status">
          {isWarned.value && !isCopied.value && (
            <Notice>You have not copied it, and it cannot be shown again. Close again to continue anyway.</Notice>
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
