import type { ComponentChildren } from 'preact';
import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../../src/vocabulary/status-code.ts';
import type { BulkChange, Replacement } from '../../../api/redirects.ts';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { DateTimeField } from '../../../ui/form/date-time-field.tsx';
import { GroupField } from '../../../ui/form/group-field.tsx';
import { Check, SelectField, TextArea, TextField } from '../../../ui/form/field.tsx';
import { type EnvironmentChoice, environmentChoice, withEnvironment } from './bulk-changes.ts';

/** Bulk updates cannot remove targets, so 410 and 451 are excluded. */
const STATUSES = STATUS_CODES.filter(statusHasTarget);

const CHOICES: readonly (readonly [EnvironmentChoice, string])[] = [
  ['', 'No change'],
  ['add', 'Add'],
  ['remove', 'Remove'],
];

interface Props {
  updates: BulkChange;
  onChange: (next: BulkChange) => void;
}

/** The fields of a bulk edit. Fields that are not set stay unchanged. */
export function BulkFields({ updates, onChange }: Props) {
  const { group_id: group, notes, status_code: status } = updates;
  const set = <Name extends keyof BulkChange>(name: Name, value: BulkChange[Name] | undefined): void => {
    const { [name]: _before, ...others } = updates;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <>
      <SelectField
        label="Status"
        value={status === undefined ? '' : String(status)}
        options={[['', 'No change'], ...STATUSES.map((code) => [String(code), String(code)] as const)]}
        onChoose={(code) => set('status_code', code === '' ? undefined : Number(code))}
      />
      <Environments updates={updates} onChange={onChange} />
      <Optional label="Change group" isSet={group !== undefined} onSet={(on) => set('group_id', on ? '' : undefined)}>
        <GroupField
          label="New group"
          hint="Leave empty to remove them from their groups."
          value={group ?? ''}
          onText={(text) => set('group_id', text)}
        />
      </Optional>
      <Optional label="Change notes" isSet={notes !== undefined} onSet={(on) => set('notes', on ? '' : undefined)}>
        <TextArea
          label="New notes"
          hint="Replaces the notes of each redirect. Leave empty to remove them."
          value={notes ?? ''}
          onText={(text) => set('notes', text)}
        />
      </Optional>
      <Schedule updates={updates} onChange={onChange} />
      <Replace
        label="Find and replace in targets"
        value={updates.replace_in_new_path}
        onChange={(next) => set('replace_in_new_path', next)}
      />
      <Replace
        label="Find and replace in sources"
        value={updates.replace_in_old_path}
        onChange={(next) => set('replace_in_old_path', next)}
      />
    </>
  );
}

interface ReplaceProps {
  label: string;
  value: Replacement | undefined;
  onChange: (next: Replacement | undefined) => void;
}

function Replace({ label, value, onChange }: ReplaceProps) {
  const { find, replace_with: text } = value ?? { find: '', replace_with: '' };
  return (
    <Optional
      label={label}
      isSet={value !== undefined}
      onSet={(on) => onChange(on ? { find, replace_with: text } : undefined)}
    >
      <TextField label="Find" isCode value={find} onText={(next) => onChange({ find: next, replace_with: text })} />
      <TextField label="Replace with" isCode value={text} onText={(next) => onChange({ find, replace_with: next })} />
    </Optional>
  );
}

/** Both times of each redirect. */
function Schedule({ updates, onChange }: Props) {
  const { active_from: from, active_until: until, ...others } = updates;
  const set = (next: BulkChange): void => onChange({ ...updates, ...next });
  return (
    <Optional
      label="Change schedule"
      isSet={from !== undefined}
      onSet={(on) => onChange(on ? { ...others, active_from: null, active_until: null } : others)}
    >
      <DateTimeField
        label="Active from"
        value={from ?? ''}
        onChange={(iso) => set({ active_from: iso === '' ? null : iso })}
      />
      <DateTimeField
        label="Active until"
        hint="Replaces both times of each redirect. Leave a field empty to remove its time."
        value={until ?? ''}
        onChange={(iso) => set({ active_until: iso === '' ? null : iso })}
      />
    </Optional>
  );
}

/** Adds or removes single environments; the others of each redirect stay. */
function Environments({ updates, onChange }: Props) {
  return (
    <fieldset class="field">
      <legend>Environments</legend>
      <div class="bulk-environments">
        {ENVIRONMENTS.map((environment) => (
          <SelectField
            key={environment}
            label={ENVIRONMENT_LABEL[environment]}
            value={environmentChoice(updates, environment)}
            options={CHOICES}
            onChoose={(choice) => onChange(withEnvironment(updates, environment, choice))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** A check box that shows the fields of a change. */
function Optional({
  label,
  isSet,
  onSet,
  children,
}: {
  label: string;
  isSet: boolean;
  onSet: (isSet: boolean) => void;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <Check label={label} checked={isSet} onCheck={onSet} />
      {isSet && children}
    </div>
  );
}
