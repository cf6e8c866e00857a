import { useSignal } from '@preact/signals';
import type { CheckedRow } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { FileImport } from './file-import.ts';
import { rowErrorText } from './verdict-labels.ts';

const FIELDS = [
  ['old_path', 'From'],
  ['new_path', 'To'],
  ['status_code', 'Status'],
] as const;

/** Edits an invalid row. The service checks the file again with the new values; the file itself stays as it is. */
export function CorrectRow({ work, row, onClose }: { work: FileImport; row: CheckedRow; onClose: () => void }) {
  const before = row.values ?? {};
  const draft = useSignal<Record<string, string>>({});
  const { column = 'row', message = '' } = row.error ?? {};
  const isOfField = FIELDS.some(([field]) => field === column);
  return (
    <FormDialog
      title={`Edit line ${number(row.line)}`}
      verb="Check again"
      isReady={Object.keys(draft.value).length > 0}
      onSend={async () => {
        onClose();
        work.correct(row.line, draft.value);
      }}
      onClose={onClose}
    >
      {() => (
        <>
          {!isOfField && <p class="wrong">{rowErrorText(message)}</p>}
          {FIELDS.map(([field, label]) => (
            <TextField
              key={field}
              label={label}
              isCode
              value={draft.value[field] ?? before[field] ?? ''}
              error={column === field && draft.value[field] === undefined ? rowErrorText(message) : undefined}
              onText={(text) => (draft.value = { ...draft.value, [field]: text })}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}
