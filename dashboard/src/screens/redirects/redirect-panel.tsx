import './panel.css';
import { useSignal } from '@preact/signals';
import type { Redirect, Website } from '../../api/wire.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { createOne, deleteWithUndo, updateOne } from './actions.ts';
import { changesOf, type Draft, draftOf, EMPTY_DRAFT, fieldsOf } from './draft.ts';
import { TrialPreview } from './trial-preview.tsx';
import { isShownByField } from './field-errors.tsx';
import { History } from './history.tsx';
import { RedirectForm } from './redirect-form.tsx';
import { RedirectLinks } from './redirect-links.tsx';
import type { RedirectList } from './redirect-list.ts';
import { useDraft } from './use-draft.ts';

interface PanelProps {
  list: RedirectList;
  website: Website;
  /** undefined: a new redirect */
  redirect: Redirect | undefined;
  /** initial fields of a new redirect */
  start?: Partial<Draft> | undefined;
  mayEdit: boolean;
  onClose: () => void;
}

/** The form of a new or existing redirect, with a preview. */
export function RedirectPanel({ list, website, redirect, start: given, mayEdit, onClose }: PanelProps) {
  const tryPath = useSignal(given?.old_path ?? '');
  const start = redirect ? draftOf(redirect) : { ...EMPTY_DRAFT, ...given };
  const state = useDraft(start, {
    websiteId: website.id,
    targetHosts: website.allowed_target_hosts,
    redirectId: redirect?.id,
    tryPath: tryPath.value,
  });
  const { draft, error } = state;
  const { isBusy, submit } = useSubmit(
    async () => {
      if (!redirect) await createOne(list, { ...fieldsOf(draft), website_id: website.id });
      else if (Object.keys(changesOf(redirect, draft)).length > 0)
        await updateOne(list, redirect, changesOf(redirect, draft));
      onClose();
    },
    { isReady: Object.keys(state.localErrors).length === 0, error },
  );
  const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
  // A save that succeeds closes the panel.
  const leave = useUnsaved(() => mayEdit && isChanged && !isBusy.value);
  const close = (): void => leave(onClose);
  function deleteRedirect(existing: Redirect): void {
    leave(() => {
      onClose();
      void deleteWithUndo(list, [existing]);
    });
  }
  const title = redirect ? (mayEdit ? 'Edit redirect' : 'Redirect') : 'New redirect';
  return (
    <Dialog title={title} shape="side" onClose={close}>
      <form onSubmit={submit} onKeyDown={(event) => submitOnCtrlEnter(event)}>
        <div class="dialog-body fields">
          <RedirectForm draft={draft} onChange={state.onChange} errors={state.fieldErrors} disabled={!mayEdit} />
          {error.value && !isShownByField(error.value) && <Problem error={error.value} />}
          {redirect && <Dates redirect={redirect} />}
          {redirect && <RedirectLinks redirect={redirect} />}
          {redirect && <History redirect={redirect} />}
        </div>
        <TrialPreview
          website={website}
          state={state}
          isNew={!redirect}
          mayEdit={mayEdit}
          tryPath={tryPath.value}
          onTryPath={(path) => (tryPath.value = path)}
        />
        <PanelFoot
          isNew={!redirect}
          mayEdit={mayEdit}
          isBusy={isBusy.value}
          onClose={close}
          onDelete={redirect && (() => deleteRedirect(redirect))}
        />
      </form>
    </Dialog>
  );
}

function PanelFoot({
  isNew,
  mayEdit,
  isBusy,
  onClose,
  onDelete,
}: {
  isNew: boolean;
  mayEdit: boolean;
  isBusy: boolean;
  onClose: () => void;
  onDelete: (() => void) | undefined;
}) {
  return (
    <footer>
      {onDelete && mayEdit && (
        <Button kind="danger" icon="trash" style={{ marginRight: 'auto' }} onClick={onDelete}>
          Delete
        </Button>
      )}
      <Button kind="quiet" onClick={onClose}>
        {mayEdit ? 'Cancel' : 'Close'}
      </Button>
      {mayEdit && (
        <Button kind="primary" type="submit" disabled={isBusy}>
          {isNew ? 'Create redirect' : 'Save'}
        </Button>
      )}
    </footer>
  );
}

function submitOnCtrlEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
}

function Dates({ redirect }: { redirect: Redirect }) {
  return (
    <p class="muted small">
      Created <Time at={redirect.created_at} />, changed <Time at={redirect.updated_at} />. ID {redirect.id}.
    </p>
  );
}
