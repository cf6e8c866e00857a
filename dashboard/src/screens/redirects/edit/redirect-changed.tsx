import type { ApiError } from '../../../api/client/api-error.ts';
import { ChangedElsewhere } from '../../../ui/list/changed-elsewhere.tsx';
import { fieldChanges } from '../../../ui/form/redirect-fields.ts';
import type { DraftState } from './use-draft.ts';

/** Says who else changed the redirect of a form. `onSave`: saves again. Renders nothing for other errors. */
export function RedirectChanged({
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
