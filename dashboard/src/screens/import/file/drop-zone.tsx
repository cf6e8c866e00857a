import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/form/field.tsx';
import { FormDialog } from '../../../ui/form/form-dialog.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { pastedFile } from './offered-file.ts';

/** Takes a file, or rows that were copied from a spreadsheet. `isOver`: a file is above the screen. */
export function DropZone({ isOver, onFile }: { isOver: boolean; onFile: (file: File) => void }) {
  const isPasting = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const choose = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file) onFile(file);
  };
  return (
    <div class="empty drop-zone" data-over={isOver}>
      <Icon name="file" size={32} />
      <h2>Drop a file here, or paste rows from a spreadsheet</h2>
      <p class="muted">
        CSV with columns of any name and order, a JSON export, or a file of a server such as _redirects or .htaccess.
        From Excel, copy the rows, or save the sheet as CSV. Everything is checked before anything changes.
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
        aria-label="File to import"
        onChange={(event) => choose(event.currentTarget.files)}
      />
    </div>
  );
}

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
