import './panel.css';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Redirect, Website } from '../../../api/client/wire.ts';
import { useSubmit } from '../../../state/resource/use-submit.ts';
import { useUnsaved } from '../../../state/unsaved.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { createOne, deleteWithUndo, restoreVersion, updateOne } from '../actions.ts';
import { type Draft, draftOf, EMPTY_DRAFT, fieldsOf } from './draft.ts';
import { TrialPreview } from './trial-preview.tsx';
import { History, type Version } from './history.tsx';
import { RedirectForm } from './redirect-form.tsx';
import type { RedirectList } from '../list/redirect-list.ts';
import { Deleted, SaveError } from './save-error.tsx';
import { useDraft } from './use-draft.ts';

interface PanelProps {
  list: RedirectList;
  website: Website;
  /** undefined: a new redirect */
  redirect?: Redirect;
  /** initial fields of a new redirect */
  start?: Partial<Draft> | undefined;
  mayEdit: boolean;
  /** someone else has deleted it */
  isDeleted?: boolean;
  onClose: () => void;
}

/** The state of the panel: its draft, saving it, and leaving it. */
function usePanel({ list, website, redirect, start: given, mayEdit, onClose }: PanelProps, tryPath: string) {
  const start = redirect ? draftOf(redirect) : { ...EMPTY_DRAFT, ...given };
  const context = { websiteId: website.id, targetHosts: website.allowed_target_hosts, redirect, tryPath };
  const state = useDraft(start, context);
  const isCreatedAgain = useRef(false);
  const { isBusy, submit } = useSubmit(
    async () => {
      const changes = state.changes();
      if (!redirect || isCreatedAgain.current) {
        await createOne(list, { ...fieldsOf(state.draft), website_id: website.id });
      } else if (Object.keys(changes).length > 0) await updateOne(list, state.base.value ?? redirect, changes);
      onClose();
    },
    { isReady: Object.keys(state.localErrors).length === 0, error: state.error },
  );
  const isChanged = redirect
    ? Object.keys(state.changes()).length > 0
    : JSON.stringify(state.draft) !== JSON.stringify(start);
  // A save that succeeds closes the panel.
  const leave = useUnsaved(() => mayEdit && isChanged && !isBusy.value);
  function createAgain(): void {
    isCreatedAgain.current = true;
    submit(new Event('submit'));
  }
  return { state, isBusy, submit, leave, createAgain };
}

/** The form of a new or existing redirect, with a preview. */
export function RedirectPanel(props: PanelProps) {
  const { list, website, redirect, mayEdit, isDeleted = false, onClose } = props;
  const tryPath = useSignal(props.start?.old_path ?? '');
  const { state, isBusy, submit, leave, createAgain } = usePanel(props, tryPath.value);
  const close = (): void => leave(onClose);
  function deleteRedirect(existing: Redirect): void {
    leave(() => {
      onClose();
      void deleteWithUndo(list, [existing]);
    });
  }
  function restore(version: Version): void {
    const before = state.base.value ?? redirect;
    if (!before) return;
    leave(() => void restoreVersion(list, before, version).then((isRestored) => isRestored && onClose()));
  }
  const title = redirect ? (mayEdit ? 'Edit redirect' : 'Redirect') : 'New redirect';
  return (
    <Dialog title={title} shape="side" onClose={close}>
      <form onSubmit={submit} onKeyDown={(event) => submitOnCtrlEnter(event)}>
        <div class="dialog-body fields">
          <RedirectForm draft={state.draft} onChange={state.onChange} errors={state.fieldErrors} disabled={!mayEdit} />
          <SaveError state={state} onSave={submit} onCreate={redirect && createAgain} />
          {isDeleted && redirect && !state.error.value && <Deleted id={redirect.id} onCreate={createAgain} />}
          {redirect && <History redirect={redirect} onRestore={mayEdit ? restore : undefined} />}
        </div>
        <TrialPreview
          website={website}
          state={state}
          isNew={!redirect}
          mayEdit={mayEdit}
          tryPath={tryPath.value}
          onTryPath={(path) => (tryPath.value = path)}
        />
        <footer>
          {redirect && mayEdit && (
            <Button kind="danger" icon="trash" style={{ marginRight: 'auto' }} onClick={() => deleteRedirect(redirect)}>
              Delete
            </Button>
          )}
          <Button kind="quiet" onClick={close}>
            {mayEdit ? 'Cancel' : 'Close'}
          </Button>
          {mayEdit && (
            <Button kind="primary" type="submit" disabled={isBusy.value}>
              {redirect ? 'Save' : 'Create redirect'}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

function submitOnCtrlEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
}
