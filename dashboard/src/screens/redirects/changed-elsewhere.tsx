import type { ChangedElsewhere as Changed } from '../../api/api-error.ts';
import { ago } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { FieldChanges } from '../../ui/field-changes.tsx';
import { fieldChanges } from '../../ui/redirect-fields.ts';
import type { Side } from './draft.ts';
import type { DraftState } from './use-draft.ts';

/** Says who changed the redirect since it was opened, field by field, and lets the user choose. */
export function ChangedElsewhere({
  state,
  changed: { by, at, redirect },
  onOverwrite,
}: {
  state: DraftState;
  changed: Changed;
  /** saves again */
  onOverwrite: (event: Event) => void;
}) {
  const choose = (side: Side) => (event: Event) => {
    state.rebase(redirect, side);
    if (side === 'mine') onOverwrite(event);
  };
  return (
    <div class="notice" role="alert">
      <div class="fields">
        <strong>
          {by ?? 'Someone else'} changed this redirect {ago(at)}. Your changes are not saved.
        </strong>
        <FieldChanges changes={fieldChanges(state.base.value ?? {}, redirect)} />
        <div class="actions">
          <Button size="small" onClick={choose('mine')}>
            Overwrite
          </Button>
          <Button size="small" onClick={choose('theirs')}>
            Take theirs
          </Button>
        </div>
      </div>
    </div>
  );
}
