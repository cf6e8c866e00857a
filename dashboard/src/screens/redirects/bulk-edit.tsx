import { useSignal } from '@preact/signals';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { bulkUpdate, type BulkChange } from '../../api/redirects.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Check, SelectField, TextField } from '../../ui/field.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import type { BulkProps } from './selection.ts';
import { toggleEnvironment } from './edit-row.tsx';
import { environmentsOf } from './view.ts';
import { undoAction } from '../../ui/undo-change.tsx';

/** Bulk updates cannot remove targets, so 410 and 451 are excluded. */
const STATUSES = STATUS_CODES.filter(statusHasTarget);

/** Updates many redirects at once. Fields that are not set stay unchanged. */
export function BulkEdit({ list, selection, view, onClose }: BulkProps & { onClose: () => void }) {
  const updates = useSignal<BulkChange>({});
  const count = selection.count();
  const name = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  return (
    <FormDialog
      title={`Edit ${name}`}
      verb={`Update ${name}`}
      isReady={Object.keys(updates.value).length > 0}
      onSend={async () => {
        await apply({ list, selection, view }, updates.value);
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Fields updates={updates.value} onChange={(next) => (updates.value = next)} />
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

async function apply({ list, selection, view }: BulkProps, updates: BulkChange): Promise<void> {
  const ids = selection.ids.value;
  const areLoaded = !selection.isAll.value && list.rows.value.filter(({ id }) => ids.has(id)).length === ids.size;
  const { updated, change_id: changeId } = await bulkUpdate(selection.toBulk(view.filter), updates);
  // Loaded rows change in place, so the scroll position stays.
  function refresh(): void {
    if (areLoaded) list.markStale(ids);
    else list.reload();
    list.countBulkWrite();
  }
  if (areLoaded) list.patchAll(ids, asShown(updates));
  refresh();
  selection.clear();
  toast(`${counted(updated, 'redirect')} updated`, undoAction(changeId, { onUndone: refresh }));
}

/** An empty group is stored as null. */
function asShown(updates: BulkChange): BulkChange {
  return updates.group_id === undefined ? updates : { ...updates, group_id: updates.group_id?.trim() || null };
}

function Fields({ updates, onChange }: { updates: BulkChange; onChange: (next: BulkChange) => void }) {
  const { target_environments: list, group_id, status_code } = updates;
  return (
    <>
      <SelectField
        label="Status"
        value={status_code === undefined ? '' : String(status_code)}
        options={[['', 'No change'], ...STATUSES.map((code) => [String(code), String(code)] as const)]}
        onChoose={(code) => onChange(changed(updates, 'status_code', code === '' ? undefined : Number(code)))}
      />
      <fieldset class="field">
        <legend>Environments</legend>
        <Check
          label="Change environments"
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
                    target_environments: toggleEnvironment({ target_environments: list }, environment),
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
          label="Change group"
          checked={group_id !== undefined}
          onCheck={(on) => onChange(changed(updates, 'group_id', on ? '' : undefined))}
        />
        {group_id !== undefined && (
          <TextField
            label="New group"
            hint="Leave empty to remove them from their groups."
            value={group_id ?? ''}
            onText={(text) => onChange({ ...updates, group_id: text })}
          />
        )}
      </fieldset>
    </>
  );
}

/** Sets one field; undefined removes it. */
function changed<Name extends keyof BulkChange>(
  updates: BulkChange,
  name: Name,
  value: BulkChange[Name] | undefined,
): BulkChange {
  const { [name]: _before, ...others } = updates;
  return value === undefined ? others : { ...others, [name]: value };
}
