import { useSignal } from '@preact/signals';
import type { CheckedRow } from '../../../api/client/wire.ts';
import { number } from '../../../format.ts';
import { TextField } from '../../../ui/form/field.tsx';
import { FormDialog } from '../../../ui/form/form-dialog.tsx';
import { GroupField } from '../../../ui/form/group-field.tsx';
import type { FileImport } from '../file-import.ts';
import { FIELD_LABELS, rowErrorText } from './row-words.ts';

const ALWAYS = ['old_path', 'new_path', 'status_code'] as const;
/** Fields that are shown only if the file has a column for them, or the error names them. */
const IF_PRESENT = ['is_regex', 'group_id', 'target_environments', 'active_from', 'active_until'] as const;

const HINTS: Readonly<Record<string, string>> = {
  is_regex: 'true or false',
  target_environments: 'production, staging or development, separated by commas',
  active_from: 'A time with a zone, such as 2030-01-31T12:00:00Z',
  active_until: 'A time with a zone, such as 2030-01-31T12:00:00Z',
};

/** Edits an invalid row. The service checks the file again with the new values; the file itself stays as it is. */
export function CorrectRow({ work, row, onClose }: { work: FileImport; row: CheckedRow; onClose: () => void }) {
  const before = row.values ?? {};
  const draft = useSignal<Record<string, string>>({});
  const { error } = row;
  const { column = 'row' } = error ?? {};
  const reason = error ? rowErrorText(error) : '';
  const isAsked = (field: string): boolean => reason.includes(`“${FIELD_LABELS[field]}”`);
  const fields = [...ALWAYS, ...IF_PRESENT.filter((field) => before[field] !== undefined || isAsked(field))];
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
            <RowField
              key={field}
              field={field}
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

interface RowFieldProps {
  field: string;
  value: string;
  error: string | undefined;
  onText: (text: string) => void;
}

function RowField({ field, ...props }: RowFieldProps) {
  const label = FIELD_LABELS[field] ?? field;
  if (field === 'group_id') return <GroupField label={label} {...props} />;
  return <TextField label={label} isCode hint={HINTS[field]} {...props} />;
}
