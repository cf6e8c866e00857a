import { useSignal } from '@preact/signals';
import type { CheckedRow } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { FileImport } from './file-import.ts';
import { FIELD_LABELS, rowErrorText } from './row-words.ts';

const ALWAYS = ['old_path', 'new_path', 'status_code'] as const;
/** Fields that are shown only if the file has a column for them. */
const IF_PRESENT = ['is_regex', 'group_id', 'target_environments', 'active_from', 'active_until'] as const;

/** Edits an invalid row. The service checks the file again with the new values; the file itself stays as it is. */
export function CorrectRow({ work, row, onClose }: { work: FileImport; row: CheckedRow; onClose: () => void }) {
  const before = row.values ?? {};
  const draft = useSignal<Record<string, string>>({});
  const { error } = row;
  const { column = 'row' } = error ?? {};
  const reason = error ? rowErrorText(error) : '';
  const fields = [...ALWAYS, ...IF_PRESENT.filter((field) => before[field] !== undefined)];
  const isOfField = fields.some((field) => field === column);
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
          {!isOfField && <p class="wrong">{reason}</p>}
          {fields.map((field) => (
            <TextField
              key={field}
              label={FIELD_LABELS[field] ?? field}
              isCode
              value={draft.value[field] ?? before[field] ?? ''}
              error={column === field && draft.value[field] === undefined ? reason : undefined}
              onText={(text) => (draft.value = { ...draft.value, [field]: text })}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}
