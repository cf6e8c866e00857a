import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';

/** Takes a file, or rows that were copied from a spreadsheet. */
export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const isPasting = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  const choose = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file) onFile(file);
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      if (event.target instanceof Element && event.target.closest('input, textarea, dialog')) return;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (event.clipboardData?.files.length) choose(event.clipboardData.files);
      else if (text.trim() !== '') onFile(pastedFile(text));
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
  return (
    <div
      class="drop-zone"
      data-over={isOver.value}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        choose(event.dataTransfer?.files);
      }}
    >
      <Icon name="file" size={32} />
      <h2>Drop a file here, or paste rows from a spreadsheet</h2>
      <p class="muted">
        CSV with columns of any name and order, or a file of a server such as _redirects or .htaccess. Save an Excel
        file as CSV first. The file is checked before anything changes.
      </p>
      <div class="actions">
        <Button kind="primary" onClick={() => input.current?.click()}>
          Choose file
        </Button>
        <Button onClick={() => (isPasting.value = true)}>Paste rows</Button>
      </div>
      {isPasting.value && <PasteRows onFile={onFile} onClose={() => (isPasting.value = false)} />}
      <input
        ref={input}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label="CSV file"
        onChange={(event) => choose(event.currentTarget.files)}
      />
    </div>
  );
}

const pastedFile = (text: string): File => new File([text], 'Pasted rows', { type: 'text/plain' });

function PasteRows({ onFile, onClose }: { onFile: (file: File) => void; onClose: () => void }) {
  const text = useSignal('');
  return (
    <FormDialog
      title="Paste rows"
      verb="Check rows"
      isReady={text.value.trim() !== ''}
      onSend={async () => {
        onClose();
        onFile(pastedFile(text.value));
      }}
      onClose={onClose}
    >
      {() => (
        <TextArea
          label="Rows"
          hint="One redirect on each line: the old path, then the new one, separated by a tab or a comma."
          rows={10}
          isCode
          value={text.value}
          onText={(typed) => (text.value = typed)}
        />
      )}
    </FormDialog>
  );
}
