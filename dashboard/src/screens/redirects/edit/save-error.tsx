/** Why a redirect could not be saved, in the panel and in an edited row. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fetchHistory } from '../../../api/changes.ts';
import type { ApiError } from '../../../api/client/api-error.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { Button } from '../../../ui/button.tsx';
import { fieldChanges } from '../../../ui/form/redirect-fields.ts';
import { ChangedElsewhere } from '../../../ui/list/changed-elsewhere.tsx';
import { Notice, Problem } from '../../../ui/page/states.tsx';
import { isShownByField } from './field-errors.tsx';
import { Journey, loopText } from './trial-preview.tsx';
import type { DraftState } from './use-draft.ts';

interface SaveErrorProps {
  state: DraftState;
  /** saves again */
  onSave: (event: Event) => void;
}

/** Why the panel could not be saved, and the next step. The form stays as it is. */
export function SaveError({ state, onSave }: SaveErrorProps) {
  const error = state.error.value;
  if (!error || isShownByField(error)) return null;
  if (error.changed) return <RedirectChanged state={state} error={error} onSave={onSave} />;
  return <Problem error={error} onRetry={isTemporary(error) ? () => onSave(new Event('submit')) : undefined} />;
}

const isTemporary = ({ status }: ApiError): boolean =>
  status === 0 || status === 401 || status === 429 || status >= 500;

/** The save failed because someone else has deleted the redirect. */
export const isDeletedSince = (state: DraftState): boolean => state.error.value?.code === 'REDIRECT_NOT_FOUND';

/** Says who deleted the redirect of a form. After a save that failed, its button has the focus. */
export function Deleted({ state, id, onCreate }: { state: DraftState; id: number; onCreate: (event: Event) => void }) {
  const { data } = useResource(`deleted:${id}`, (signal) => fetchHistory(id, { limit: 1 }, signal));
  const name = data.value?.history[0]?.actor.name;
  const notice = useRef<HTMLDivElement>(null);
  const isRefused = isDeletedSince(state);
  useLayoutEffect(() => {
    if (isRefused) notice.current?.querySelector('button')?.focus();
  }, [isRefused]);
  return (
    <Notice>
      <div ref={notice} role="alert">
        This redirect was deleted{name ? ` by ${name}` : ''}. What you see is not saved.{' '}
        <Button size="small" onClick={onCreate}>
          Create it again
        </Button>
      </div>
    </Notice>
  );
}

/** Below the fields of an edited row: what concerns the whole redirect. `onCreate`: creates it again after its deletion. */
export function RowMessage({ state, onSave, onCreate }: SaveErrorProps & { onCreate: (event: Event) => void }) {
  const { error, check, isTouched, fieldErrors, base } = state;
  if (base.value && isDeletedSince(state)) {
    return (
      <span role="gridcell" class="whole small">
        <Deleted state={state} id={base.value.id} onCreate={onCreate} />
      </span>
    );
  }
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
      <span role="gridcell" class="whole wrong row wrap">
        <span role="alert">{wrong}</span>
        {error.value && isTemporary(error.value) && (
          <Button size="small" onClick={(event: Event) => onSave(event)}>
            Retry
          </Button>
        )}
      </span>
    );
  }
  if (state.sameWebsite !== undefined) {
    return (
      <span role="gridcell" class="whole small muted">
        {state.sameWebsite}
      </span>
    );
  }
  const trial = check?.trial;
  const isClear = error.value === undefined && Object.keys(fieldErrors).length === 0;
  if (!isTouched || !isClear || !check || trial?.result !== 'fired' || trial.hops.length < 2) return null;
  return (
    <span role="gridcell" class="whole small" aria-live="polite">
      <Journey state={state} check={check} trial={trial} />
    </span>
  );
}

/** The error of the last save, of a field that the row does not have, or a loop. */
function wrongOf(state: DraftState): ComponentChildren {
  const { error, check, isTouched, fieldErrors } = state;
  if (error.value && !isShownByField(error.value)) return error.value.details || error.value.message;
  const { old_path: source, new_path: target, group_id: group } = fieldErrors;
  if (group !== undefined) return group;
  const hasPathError = source !== undefined || target !== undefined;
  const loop = isTouched && !hasPathError ? check?.loops[0] : undefined;
  return loop && loopText(loop);
}

/** Says who else changed the redirect of a form. `onSave`: saves again. Renders nothing for other errors. */
function RedirectChanged({
  state,
  error,
  onSave,
}: {
  state: DraftState;
  error: ApiError;
  onSave: (event: Event) => void;
}) {
  const { by, at, redirect } = error.changed ?? {};
  if (at === undefined || !redirect) return null;
  return (
    <ChangedElsewhere
      what="this redirect"
      by={by}
      at={at}
      changes={fieldChanges(state.base.value ?? {}, redirect)}
      onChoose={(side, event) => {
        state.rebase(redirect, side);
        if (side === 'mine') onSave(event);
      }}
    />
  );
}
