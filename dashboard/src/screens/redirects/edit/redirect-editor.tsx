import './editor.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Redirect, Website } from '../../../api/client/wire.ts';
import { mayEdit } from '../../../state/session.ts';
import { toastError } from '../../../state/toasts.ts';
import { useSubmit } from '../../../state/resource/use-submit.ts';
import { useUnsaved } from '../../../state/unsaved.ts';
import { Button } from '../../../ui/button.tsx';
import { createOne, deleteWithUndo, type RedirectRows, updateOne } from '../actions.ts';
import { isWide } from '../open-page.ts';
import { type Draft, draftOf, EMPTY_DRAFT, fieldsOf, ruleOf } from './draft.ts';
import { TrialPreview } from './trial-preview.tsx';
import { History, type Version } from './history.tsx';
import { LastSeen } from './last-seen.tsx';
import { isShownByField } from './field-errors.tsx';
import { RedirectForm } from './redirect-form.tsx';
import { submitOnCtrlEnter } from '../../../ui/form/field.tsx';
import { fieldChanges } from '../../../ui/form/redirect-fields.ts';
import { Deleted, isDeletedSince, SaveError } from './save-error.tsx';
import { type DraftState, useDraft } from './use-draft.ts';
import { focusQuestion } from './wildcard-notice.tsx';

interface EditorProps {
  list: RedirectRows;
  website: Website;
  /** undefined: a new redirect */
  redirect?: Redirect;
  /** initial fields of a new redirect */
  start?: Partial<Draft> | undefined;
  /** the first path to test a pattern with; the path itself if absent */
  example?: string | undefined;
  /** someone else has deleted it */
  isDeleted?: boolean;
  /** shown before the fields; `tryPath`: the path to test a pattern with */
  before?: (form: { state: DraftState; tryPath: Signal<string> }) => ComponentChildren;
  /** after a change of the stored redirect */
  onSaved?: () => void;
  onClose: () => void;
}

function useEditor({ list, website, redirect, start: given, onSaved, onClose }: EditorProps, tryPath: string) {
  const start = redirect ? draftOf(redirect) : { ...EMPTY_DRAFT, ...given };
  const state = useDraft(start, { websiteId: website.id, redirect, tryPath });
  const isCreatedAgain = useRef(false);
  const { isBusy, submit } = useSubmit(
    async () => {
      if (redirect && !isCreatedAgain.current) await state.update(list);
      else await createOne(list, { ...fieldsOf(state.draft), website_id: website.id });
      onSaved?.();
      if (!redirect || isCreatedAgain.current || !isWide.value) onClose();
    },
    { isReady: Object.keys(state.localErrors).length === 0, error: state.error },
  );
  // A save that succeeds may close the form.
  const leave = useUnsaved(() => mayEdit.value && state.isChanged() && !isBusy.value);
  function createAgain(): void {
    isCreatedAgain.current = true;
    submit(new Event('submit'));
  }
  return { state, isBusy, submit, leave, createAgain };
}

/** The form of a new or existing redirect, with a preview and the history. Ctrl+Enter saves. */
export function RedirectEditor(props: EditorProps) {
  const { list, redirect, isDeleted = false, before, onSaved, onClose } = props;
  const canEdit = mayEdit.value;
  const tryPath = useSignal(props.example ?? props.start?.old_path ?? '');
  const { state, isBusy, submit, leave, createAgain } = useEditor(props, tryPath.value);
  function deleteRedirect(existing: Redirect): void {
    leave(() => {
      onClose();
      void deleteWithUndo(list, [existing]);
    });
  }
  function restore(version: Version): void {
    const stored = state.base.value ?? redirect;
    if (!stored) return;
    const restored = (): Promise<unknown> => updateOne(list, stored, ruleOf(version), 'Version restored');
    leave(() => void restored().then(onSaved, (thrown) => toastError(thrown, 'Could not restore the version')));
  }
  function save(event: Event): void {
    event.preventDefault();
    if (!focusQuestion(state, event)) submit(event);
  }
  // In sight, in place of the preview; of Save if there are other ways on.
  const error = state.error.value;
  const isGone = redirect !== undefined && (isDeletedSince(state) || (isDeleted && !error));
  const problem = isGone ? (
    <Deleted state={state} id={redirect.id} onCreate={createAgain} />
  ) : (
    <SaveError state={state} onSave={submit} />
  );
  const isInstead = error?.changed !== undefined || isGone;
  const preview = <TrialPreview state={state} tryPath={tryPath} />;
  return (
    <form class="editor" onSubmit={save} onKeyDown={(event) => submitOnCtrlEnter(event)}>
      <div class="dialog-body fields">
        {before?.({ state, tryPath })}
        {canEdit ? <RedirectForm state={state} /> : redirect && <RedirectText redirect={redirect} />}
        {redirect && <LastSeen redirect={redirect} />}
        {redirect && <History redirect={redirect} onRestore={canEdit ? restore : undefined} />}
      </div>
      {isGone || (error && !isShownByField(error)) ? <div class="lead">{problem}</div> : preview}
      <footer>
        {redirect && canEdit && !isGone && (
          <Button kind="danger" icon="trash" style={{ marginRight: 'auto' }} onClick={() => deleteRedirect(redirect)}>
            Delete
          </Button>
        )}
        <Button kind="quiet" onClick={() => leave(onClose)}>
          {canEdit ? 'Cancel' : 'Close'}
        </Button>
        {canEdit && !isInstead && (
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            {redirect ? 'Save' : 'Create redirect'}
          </Button>
        )}
      </footer>
    </form>
  );
}

/** The fields that have a value, for those who may only read. */
function RedirectText({ redirect }: { redirect: Redirect }) {
  return (
    <dl class="stack gap-3">
      {fieldChanges({ is_regex: false }, redirect).map(({ label, after }) => (
        <div key={label}>
          <dt class="small muted">{label}</dt>
          <dd class="break">{after}</dd>
        </div>
      ))}
    </dl>
  );
}
