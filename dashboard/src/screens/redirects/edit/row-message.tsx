import type { ComponentChildren } from 'preact';
import { RedirectChanged } from './redirect-changed.tsx';
import { isShownByField } from './field-errors.tsx';
import { Journey, loopText } from './trial-result.tsx';
import type { DraftState } from './use-draft.ts';

/** Below the fields of an edited row: what concerns the whole redirect. `onSave`: saves again. */
export function RowMessage({ state, onSave }: { state: DraftState; onSave: (event: Event) => void }) {
  const { error, check, isTouched, draft, onChange, fieldErrors } = state;
  if (error.value?.changed) {
    return (
      <span role="gridcell" class="whole small">
        <RedirectChanged state={state} error={error.value} onSave={onSave} />
      </span>
    );
  }
  const wrong = wrongOf(state);
  if (wrong !== undefined) {
    return (
      <span role="gridcell" class="whole wrong">
        <span role="alert">{wrong}</span>
      </span>
    );
  }
  const trial = check?.trial;
  const isClear = error.value === undefined && Object.keys(fieldErrors).length === 0;
  if (!isTouched || !isClear || !check || trial?.result !== 'fired' || trial.hops.length < 2) return null;
  return (
    <span role="gridcell" class="whole small" aria-live="polite">
      <Journey draft={draft} check={check} trial={trial} onChange={onChange} />
    </span>
  );
}

/** The error of the last save, of a field that the row does not have, or a loop. */
function wrongOf(state: DraftState): ComponentChildren {
  const { error, check, isTouched, fieldErrors } = state;
  if (error.value && !isShownByField(error.value)) return error.value.details || error.value.message;
  const { old_path: _source, new_path: _target, ...others } = fieldErrors;
  const [other] = Object.values(others);
  if (other !== undefined) return other;
  const loop = isTouched && !hasPathError(state) ? check?.loops[0] : undefined;
  return loop && loopText(loop);
}

const hasPathError = ({ fieldErrors: { old_path, new_path } }: DraftState): boolean =>
  old_path !== undefined || new_path !== undefined;
