import { useSignal } from '@preact/signals';
import type { SavedView } from '../../../api/client/wire.ts';
import { createSavedView, updateSavedView } from '../../../api/redirects.ts';
import { toast } from '../../../state/toasts.ts';
import { SelectField, TextField } from '../../../ui/form/field.tsx';
import { FormDialog } from '../../../ui/form/form-dialog.tsx';

interface Props {
  websiteId: number;
  existing: SavedView | undefined;
  /** the filters of the list */
  current: string;
  onSaved: () => void;
  onClose: () => void;
}

/** Saves the current filters by a name, or renames `existing` and replaces its filters. */
export function ViewDialog({ websiteId, existing, current, onSaved, onClose }: Props) {
  const name = useSignal(existing?.name ?? '');
  const saved = useSignal(existing?.query ?? current);
  async function send(): Promise<void> {
    const body = { name: name.value, query: saved.value };
    await (existing ? updateSavedView(websiteId, existing.id, body) : createSavedView(websiteId, body));
    onSaved();
    onClose();
    toast(`View ${name.value.trim()} saved`);
  }
  return (
    <FormDialog
      title={existing ? 'Edit view' : 'Save view'}
      verb="Save"
      isReady={name.value.trim() !== ''}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField
            label="Name"
            hint="Everyone who reaches the website sees the view."
            autofocus
            required
            error={error && (error.details.replace(/^name: /, '') || error.message)}
            value={name.value}
            onText={(text) => (name.value = text)}
          />
          {existing && current !== '' && existing.query !== current && (
            <SelectField
              label="Filters"
              value={saved.value}
              options={[
                [existing.query, 'Keep those of the view'],
                [current, 'Replace with the current ones'],
              ]}
              onChoose={(query) => (saved.value = query)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
