import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { FileInput } from '../../../ui/file-input.tsx';
import type { FieldTable } from '../../../ui/form/form-fields.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { ResourceDialog } from '../../../ui/list/resource-dialog.tsx';
import { pastedFile } from './offered-file.ts';

/** Takes a file, or rows that were copied from a spreadsheet. `isOver`: a file is above the screen. */
export function DropZone({ isOver, onFile }: { isOver: boolean; onFile: (file: File) => void }) {
  const isPasting = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="empty drop-zone" data-over={isOver}>
      <Icon name="file" size={32} />
      <h2>Drop a file here, or paste rows from a spreadsheet</h2>
      <p class="muted">
        CSV with columns of any name and order, a JSON export, or a file of a server such as _redirects, .htaccess or
        web.config. From Excel, copy the rows, or save the sheet as CSV. Everything is checked before anything changes.
      </p>
      <div class="actions">
        <Button kind="primary" onClick={() => input.current?.click()}>
          Choose file
        </Button>
        <Button onClick={() => (isPasting.value = true)}>Paste rows</Button>
      </div>
      {isPasting.value && <PasteRows onFile={onFile} onClose={() => (isPasting.value = false)} />}
      <FileInput input={input} label="File to import" onFile={(file) => file && onFile(file)} />
    </div>
  );
}

const ROWS: FieldTable<{ text: string }> = [
  {
    name: 'text',
    label: 'Rows',
    hint: 'One redirect on each line: the old path, then the new one, separated by a tab or a comma.',
    rows: 10,
    isCode: true,
    required: true,
  },
];

const PasteRows = ({ onFile, onClose }: { onFile: (file: File) => void; onClose: () => void }) => (
  <ResourceDialog
    title="Paste rows"
    verb="Check rows"
    start={{ text: '' }}
    fields={ROWS}
    onSend={async ({ text }) => onFile(pastedFile(text))}
    onClose={onClose}
  />
);
