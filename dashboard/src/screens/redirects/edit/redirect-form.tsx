import { useId, useRef } from 'preact/hooks';
import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, type StatusCode, statusHasTarget } from '../../../../../src/vocabulary/status-code.ts';
import { Check, SelectField, TextArea, TextField } from '../../../ui/form/field.tsx';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { GroupField } from '../../../ui/form/group-field.tsx';
import { toggleEnvironment } from './edit-row.tsx';
import { TargetOptions } from './living-pages.tsx';
import { pathField, ReadsAs } from './path-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import type { DraftState } from './use-draft.ts';
import { WildcardNotice } from './wildcard-notice.tsx';
import { environmentsOf } from '../view.ts';

const STATUS_LABEL: Record<StatusCode, string> = {
  301: '301 Moved permanently',
  302: '302 Found (temporary)',
  303: '303 See other (always GET)',
  307: '307 Temporary redirect (keeps the method)',
  308: '308 Permanent redirect (keeps the method)',
  410: '410 Gone (no target)',
  451: '451 Unavailable for legal reasons (no target)',
};

export function RedirectForm({ state }: { state: DraftState }) {
  const { draft, onChange, fieldErrors: errors, theirs } = state;
  const isNew = !state.base.value;
  // A new redirect that begins with a path lacks its target.
  const hasSource = useRef(draft.old_path !== '').current;
  return (
    <div class="fields">
      <div class="stack gap-1">
        <TextField
          label={draft.is_regex ? 'From (pattern)' : 'From'}
          name="old_path"
          isCode
          autofocus={isNew && !hasSource}
          required
          placeholder={draft.is_regex ? '/blog/(\\d{4})/(.+)' : '/old-page'}
          {...pathField(state, 'old_path')}
          error={errors.old_path}
          hint={theirs('old_path') ?? (draft.is_regex ? 'RE2 syntax, matched against the full path.' : undefined)}
        />
        <ReadsAs path={draft.old_path} />
      </div>
      {statusHasTarget(draft.status_code) && <TargetField state={state} autofocus={isNew && hasSource} />}
      <PatternCheck state={state} />
      <WildcardNotice state={state} />
      <SelectField
        label="Status"
        value={String(draft.status_code)}
        options={STATUS_CODES.map((code) => [String(code), STATUS_LABEL[code]] as const)}
        onChoose={(code) => onChange({ status_code: Number(code) })}
        hint={theirs('status_code')}
      />
      <Environments state={state} />
      <ScheduleFields state={state} />
      <GroupField
        label="Group"
        placeholder="No group"
        value={draft.group_id}
        onText={(group_id) => onChange({ group_id })}
        error={errors.group_id}
        hint={theirs('group_id')}
      />
      <TextArea
        label="Notes"
        value={draft.notes}
        onText={(notes) => onChange({ notes })}
        error={errors.notes}
        hint={theirs('notes')}
      />
    </div>
  );
}

/** With living pages to choose from. */
function TargetField({ state, autofocus }: { state: DraftState; autofocus: boolean }) {
  const { draft, fieldErrors, theirs } = state;
  const pages = useId();
  return (
    <div class="stack gap-1">
      <TextField
        label="To"
        name="new_path"
        isCode
        autofocus={autofocus}
        required
        list={pages}
        autocomplete="off"
        placeholder={draft.is_regex ? '/articles/$2?year=$1' : '/new-page'}
        {...pathField(state, 'new_path')}
        error={fieldErrors.new_path}
        hint={theirs('new_path') ?? state.sameWebsite}
      />
      <ReadsAs path={draft.new_path} />
      <TargetOptions id={pages} state={state} />
    </div>
  );
}

/** Below the target, so that Tab leads there from the source. */
const PatternCheck = ({ state: { draft, onChange, theirs } }: { state: DraftState }) => (
  <Check
    label="Pattern"
    hint={theirs('is_regex') ?? 'The target can use its groups as $1 or ${name}.'}
    checked={draft.is_regex}
    onCheck={(is_regex) => onChange({ is_regex })}
  />
);

function Environments({ state: { draft, onChange, theirs } }: { state: DraftState }) {
  const chosen = environmentsOf(draft);
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={id}>
      <legend>Environments</legend>
      <div class="choices">
        {ENVIRONMENTS.map((environment) => (
          <Check
            key={environment}
            label={ENVIRONMENT_LABEL[environment]}
            checked={chosen.includes(environment)}
            onCheck={() => onChange({ target_environments: toggleEnvironment(draft, environment) })}
          />
        ))}
      </div>
      <div class="hint" id={id}>
        {theirs('target_environments') ?? (chosen.length === 0 ? 'No environment: saved as a draft.' : '')}
      </div>
    </fieldset>
  );
}
