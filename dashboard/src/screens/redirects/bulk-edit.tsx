import { useSignal } from '@preact/signals';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { bulkUpdate, type BulkChange } from '../../api/redirects.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, SelectField, TextField } from '../../ui/field.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Problem } from '../../ui/states.tsx';
import { restoreFields } from './actions.ts';
import type { BulkProps } from './selection.ts';
import { toggled } from './edit-row.tsx';
import { environmentsOf } from './view.ts';

/** Changes that lead somewhere: 410 and 451 would need the targets to go, one by one. */
const STATUSES = STATUS_CODES.filter(statusHasTarget);

/** One change for many redirects; what is left alone stays as it is in each. */
export function BulkEdit({ list, selection, view, onClose }: BulkProps & { onClose: () => void }) {
  const updates = useSignal<BulkChange>({});
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  const fields = Object.keys(updates.value).length;
  const what = selection.count() === undefined ? 'all matching' : counted(selection.count() ?? 0, 'redirect');

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (fields === 0 || isBusy.value) return;
    isBusy.value = true;
    try {
      await apply({ list, selection, view }, updates.value);
      onClose();
    } catch (thrown) {
      error.value = asApiError(thrown);
      isBusy.value = false;
    }
  }
  return (
    <Dialog title={`Edit ${what}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="dialog-body fields">
          <Fields updates={updates.value} onChange={(next) => (updates.value = next)} />
          {error.value && <Problem error={error.value} />}
        </div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={fields === 0 || isBusy.value}>
            Change {what}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Undo is offered where every row is at hand, so that it is known what each had before. */
async function apply({ list, selection, view }: BulkProps, updates: BulkChange): Promise<void> {
  const before = list.rows.value.filter(({ id }) => selection.ids.value.has(id));
  const isKnown = !selection.isAll.value && before.length === selection.ids.value.size;
  const { updated } = await bulkUpdate(selection.asked(view.filter), updates);
  const changed = (['target_environments', 'group_id', 'status_code', 'notes'] as const).filter(
    (field) => updates[field] !== undefined,
  );
  // Rows at hand are changed where they stand, so that the reader keeps the place.
  if (isKnown) {
    list.patchAll(selection.ids.value, shownAs(updates));
    list.outdate(selection.ids.value);
  } else list.reload();
  list.wrote();
  selection.clear();
  const undo = { label: 'Undo', run: () => void restoreFields(list, before, changed) };
  toast(`${counted(updated, 'redirect')} changed`, isKnown ? undo : undefined);
}

/** An empty label is none. */
function shownAs(updates: BulkChange): BulkChange {
  return updates.group_id === undefined
    ? updates
    : { ...updates, group_id: updates.group_id?.trim() || null };
}

function Fields({ updates, onChange }: { updates: BulkChange; onChange: (next: BulkChange) => void }) {
  const { target_environments: list, group_id, status_code } = updates;
  return (
    <>
      <SelectField
        label="Status"
        value={status_code === undefined ? '' : String(status_code)}
        options={[['', 'Leave as it is'], ...STATUSES.map((code) => [String(code), String(code)] as const)]}
        onChoose={(code) => onChange(changed(updates, 'status_code', code === '' ? undefined : Number(code)))}
      />
      <fieldset class="field">
        <legend>Environments</legend>
        <Check
          label="Change where they are deployed"
          checked={list !== undefined}
          onCheck={(on) => onChange(changed(updates, 'target_environments', on ? 'production' : undefined))}
        />
        {list !== undefined && (
          <div class="choices">
            {ENVIRONMENTS.map((environment) => (
              <Check
                key={environment}
                label={ENVIRONMENT_LABEL[environment]}
                checked={environmentsOf({ target_environments: list }).includes(environment)}
                onCheck={() =>
                  onChange({
                    ...updates,
                    target_environments: toggled({ target_environments: list }, environment),
                  })
                }
              />
            ))}
          </div>
        )}
      </fieldset>
      <fieldset class="field">
        <legend>Group</legend>
        <Check
          label="Change the group"
          checked={group_id !== undefined}
          onCheck={(on) => onChange(changed(updates, 'group_id', on ? '' : undefined))}
        />
        {group_id !== undefined && (
          <TextField
            label="New group"
            hint="Leave it empty to take them out of their groups."
            value={group_id ?? ''}
            onText={(text) => onChange({ ...updates, group_id: text })}
          />
        )}
      </fieldset>
    </>
  );
}

/** With one field set, or left out again. */
function changed<Name extends keyof BulkChange>(
  updates: BulkChange,
  name: Name,
  value: BulkChange[Name] | undefined,
): BulkChange {
  const { [name]: _before, ...others } = updates;
  return value === undefined ? others : { ...others, [name]: value };
}
