import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { asApiError } from '../../api/api-error.ts';
import type { Redirect } from '../../api/wire.ts';
import { currentWebsite } from '../../state/websites.ts';
import { IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { change } from './actions.ts';
import { changesOf, type Draft, draftOf, plainlyWrong } from './draft.ts';
import type { GridModel } from './grid-model.ts';
import { environmentsOf } from './view.ts';

interface EditRowProps {
  model: GridModel;
  redirect: Redirect;
  at: number;
  style: { transform: string };
}

/** A redirect edited where it stands: Enter saves, Escape leaves it as it was. */
export function EditRow({ model, redirect, at, style }: EditRowProps) {
  const draft = useSignal<Draft>(draftOf(redirect));
  const refusal = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => row.current?.querySelector('input')?.select(), []);
  const found = plainlyWrong(draft.value, currentWebsite.value?.allowed_target_hosts ?? []);
  const wrong = found.old_path ?? found.new_path ?? refusal.value;

  function close(): void {
    model.editing.value = undefined;
    row.current?.closest<HTMLElement>('[role=grid]')?.focus();
  }
  async function save(): Promise<void> {
    const changes = changesOf(redirect, draft.value);
    if (Object.keys(changes).length === 0) return close();
    isSaving.value = true;
    try {
      await change(model.list, redirect, changes);
      close();
    } catch (thrown) {
      const error = asApiError(thrown);
      refusal.value = error.details || error.message;
      isSaving.value = false;
    }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <div
      ref={row}
      role="row"
      id={`r${redirect.id}`}
      class="grid-row editing"
      aria-rowindex={at + 2}
      style={style}
      onKeyDown={onKeyDown}
    >
      <Cells draft={draft.value} onChange={(fields) => (draft.value = { ...draft.value, ...fields })} />
      <span role="gridcell" class="cell-save">
        <IconButton
          label="Save"
          icon="check"
          size="small"
          disabled={isSaving.value}
          onClick={() => void save()}
        />
        <IconButton label="Leave as it was" icon="close" size="small" onClick={close} />
        <Wrong text={wrong} />
      </span>
    </div>
  );
}

function Wrong({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <span class="edit-wrong" role="alert">
      {text}
    </span>
  );
}

function Cells({ draft, onChange }: { draft: Draft; onChange: (fields: Partial<Draft>) => void }) {
  const hasTarget = statusHasTarget(draft.status_code);
  return (
    <>
      <span role="gridcell" class="cell-from">
        <input
          class="input mono"
          aria-label="From"
          spellcheck={false}
          value={draft.old_path}
          onInput={(event) => onChange({ old_path: event.currentTarget.value })}
        />
      </span>
      <span role="gridcell" class="cell-to">
        <input
          class="input mono"
          aria-label="To"
          spellcheck={false}
          disabled={!hasTarget}
          value={hasTarget ? draft.new_path : ''}
          placeholder={hasTarget ? '' : 'no target'}
          onInput={(event) => onChange({ new_path: event.currentTarget.value })}
        />
      </span>
      <span role="gridcell" class="cell-status">
        <select
          class="input"
          aria-label="Status"
          value={draft.status_code}
          onChange={(event) => onChange({ status_code: Number(event.currentTarget.value) })}
        >
          {STATUS_CODES.map((code) => (
            <option key={code} value={code} selected={code === draft.status_code}>
              {code}
            </option>
          ))}
        </select>
      </span>
      <span role="gridcell" class="cell-environments">
        {ENVIRONMENTS.map((environment) => (
          <label key={environment} class="mini-check" title={ENVIRONMENT_LABEL[environment]}>
            <input
              type="checkbox"
              aria-label={ENVIRONMENT_LABEL[environment]}
              checked={environmentsOf(draft).includes(environment)}
              onChange={() => onChange({ target_environments: toggled(draft, environment) })}
            />
            {ENVIRONMENT_LABEL[environment].slice(0, 1)}
          </label>
        ))}
      </span>
    </>
  );
}

/** The environments with one more or one less, in their order. */
export function toggled(
  draft: Pick<Draft, 'target_environments'>,
  one: (typeof ENVIRONMENTS)[number],
): string {
  const chosen = environmentsOf(draft);
  return ENVIRONMENTS.filter((each) => chosen.includes(each) !== (each === one)).join(',');
}
