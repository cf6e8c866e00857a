import './panel.css';
import { useSignal } from '@preact/signals';
import { asApiError } from '../../api/api-error.ts';
import type { Redirect, Website } from '../../api/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { change, create, remove } from './actions.ts';
import { changesOf, type Draft, draftOf, EMPTY_DRAFT, fieldsOf } from './draft.ts';
import { TrialPreview } from './trial-preview.tsx';
import { isShownByField } from './field-errors.tsx';
import { RedirectForm } from './redirect-form.tsx';
import { RedirectLinks } from './redirect-links.tsx';
import type { RedirectList } from './redirect-list.ts';
import { useDraft } from './use-draft.ts';

interface PanelProps {
  list: RedirectList;
  website: Website;
  /** undefined: a new one */
  redirect: Redirect | undefined;
  /** fields that a new one begins with */
  start?: Partial<Draft> | undefined;
  mayEdit: boolean;
  onClose: () => void;
}

/** Everything about one redirect, or a new one: its fields, and where it would lead. */
export function RedirectPanel({ list, website, redirect, start, mayEdit, onClose }: PanelProps) {
  const tryPath = useSignal(start?.old_path ?? '');
  const state = useDraft(redirect ? draftOf(redirect) : { ...EMPTY_DRAFT, ...start }, {
    websiteId: website.id,
    targetHosts: website.allowed_target_hosts,
    redirectId: redirect?.id,
    tryPath: tryPath.value,
  });
  const { draft, error } = state;
  const isBusy = useSignal(false);

  async function save(): Promise<void> {
    if (redirect) return change(list, redirect, changesOf(redirect, draft));
    await create(list, { ...fieldsOf(draft), website_id: website.id });
  }
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value || Object.keys(state.plain).length > 0) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      if (!redirect || Object.keys(changesOf(redirect, draft)).length > 0) await save();
      onClose();
    } catch (thrown) {
      error.value = asApiError(thrown);
      isBusy.value = false;
    }
  }
  function deleteIt(which: Redirect): void {
    onClose();
    void remove(list, [which]);
  }
  const title = redirect ? (mayEdit ? 'Edit redirect' : 'Redirect') : 'New redirect';
  return (
    <Dialog title={title} shape="side" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} onKeyDown={(event) => submitByKeys(event)}>
        <div class="dialog-body fields">
          <RedirectForm draft={draft} onChange={state.onChange} wrong={state.problems} disabled={!mayEdit} />
          {error.value && !isShownByField(error.value) && <Problem error={error.value} />}
          {redirect && <Dates redirect={redirect} />}
          {redirect && <RedirectLinks redirect={redirect} />}
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
          onClose={onClose}
          onDelete={redirect && (() => deleteIt(redirect))}
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

function submitByKeys(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
}

function Dates({ redirect }: { redirect: Redirect }) {
  return (
    <p class="muted small">
      Created <Time at={redirect.created_at} />, changed <Time at={redirect.updated_at} />. Redirect{' '}
      {redirect.id}.
    </p>
  );
}
