import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { asApiError } from '../../api/api-error.ts';
import type { Redirect } from '../../api/wire.ts';
import { currentWebsite } from '../../state/websites.ts';
import { IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { change } from './actions.ts';
import { changesOf, type Draft, draftOf } from './draft.ts';
import type { GridModel } from './grid-model.ts';
import { loopText } from './trial-result.tsx';
import { type DraftState, useDraft } from './use-draft.ts';
import { environmentsOf } from './view.ts';

interface EditRowProps {
  model: GridModel;
  redirect: Redirect;
  at: number;
  style: { transform: string };
}

/** A redirect edited where it stands: Enter saves, Escape leaves it as it was. */
export function EditRow({ model, redirect, at, style }: EditRowProps) {
  const targetHosts = currentWebsite.value?.allowed_target_hosts ?? [];
  const about = { websiteId: redirect.website_id, targetHosts, redirectId: redirect.id };
  const state = useDraft(draftOf(redirect), about);
  const { draft, error } = state;
  const isSaving = useSignal(false);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => row.current?.querySelector('input')?.select(), []);

  function close(): void {
    model.editing.value = undefined;
    row.current?.closest<HTMLElement>('[role=grid]')?.focus();
  }
  async function save(): Promise<void> {
    const changes = changesOf(redirect, draft);
    if (Object.keys(changes).length === 0) return close();
    isSaving.value = true;
    try {
      await change(model.list, redirect, changes);
      close();
    } catch (thrown) {
      error.value = asApiError(thrown);
      isSaving.value = false;
    }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !isPressed(event.target)) void save();
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
      <Cells draft={draft} problems={state.problems} onChange={state.onChange} />
      <span role="gridcell" class="cell-save">
        <IconButton
          label="Save"
          icon="check"
          size="small"
          disabled={isSaving.value}
          onClick={() => void save()}
        />
        <IconButton label="Leave as it was" icon="close" size="small" onClick={close} />
        <Wrong text={problemOf(state)} onLeave={close} />
      </span>
    </div>
  );
}

/** Enter on these is a press of them. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}

/** The one thing that the row has room for: what is wrong with a field, what was refused, or the loop that it would close. */
function problemOf({ problems, error, check, isTouched }: DraftState): ComponentChildren {
  const [problem] = Object.values(problems);
  if (problem !== undefined) return problem;
  if (error.value) return error.value.details || error.value.message;
  const loop = isTouched ? check?.loops[0] : undefined;
  return loop && loopText(loop);
}

/** `onLeave`: a link in it was followed, to another redirect. */
function Wrong({ text, onLeave }: { text: ComponentChildren; onLeave: () => void }) {
  return text === undefined ? null : (
    <span
      class="edit-wrong"
      role="alert"
      onClick={(event) => event.target instanceof HTMLAnchorElement && onLeave()}
    >
      {text}
    </span>
  );
}

function Cells({ draft, problems, onChange }: Pick<DraftState, 'draft' | 'problems' | 'onChange'>) {
  const hasTarget = statusHasTarget(draft.status_code);
  return (
    <>
      <span role="gridcell" class="cell-from">
        <input
          class="input mono"
          aria-label="From"
          aria-invalid={problems.old_path === undefined ? undefined : 'true'}
          spellcheck={false}
          value={draft.old_path}
          onInput={(event) => onChange({ old_path: event.currentTarget.value })}
        />
      </span>
      <span role="gridcell" class="cell-to">
        <input
          class="input mono"
          aria-label="To"
          aria-invalid={problems.new_path === undefined ? undefined : 'true'}
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
