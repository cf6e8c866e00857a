import { useSignal } from '@preact/signals';
import { bulkDelete } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { toast } from '../../../state/toasts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { undoAction } from '../../../ui/undo-change.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import type { GridModel } from '../list/grid-model.ts';

/** Actions for the selected rows. */
export function BulkBar({ model }: { model: GridModel }) {
  const { list, selection, isDeleting, deleteSelected } = model;
  const isEditing = useSignal(false);
  if (selection.isEmpty()) return null;
  const count = selection.count();
  const total = list.total.value;
  const canWiden = !selection.isAll.value && total !== undefined && total > (count ?? 0);
  return (
    <>
      <div class="card row bulk-bar" role="region" aria-label="Selected redirects">
        <strong aria-live="polite">{count === undefined ? 'All' : number(count)} selected</strong>
        {canWiden && (
          <Button kind="quiet" size="small" onClick={selection.selectAll}>
            Select all {number(total)}
          </Button>
        )}
        <Button size="small" icon="edit" onClick={() => (isEditing.value = true)}>
          Edit
        </Button>
        <Button size="small" kind="danger" icon="trash" onClick={deleteSelected}>
          Delete
        </Button>
        <IconButton label="Clear selection" icon="close" size="small" onClick={selection.clear} />
      </div>
      {isEditing.value && <BulkEdit model={model} onClose={() => (isEditing.value = false)} />}
      {isDeleting.value && <BulkDelete model={model} onClose={() => (isDeleting.value = false)} />}
    </>
  );
}

/** From this number on, the user must type the number. */
const TYPED_FROM = 1_000;

function BulkDelete({ model: { list, selection, view }, onClose }: { model: GridModel; onClose: () => void }) {
  const count = selection.count();
  const name = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  async function confirm(): Promise<void> {
    const { deleted, change_id: changeId } = await bulkDelete(selection.toBulk(view.filter));
    function refresh(): void {
      list.reload();
      list.countBulkWrite();
    }
    selection.clear();
    refresh();
    toast(`${counted(deleted, 'redirect')} deleted`, undoAction(changeId, { onUndone: refresh }));
  }
  return (
    <Confirm
      title={`Delete ${name}?`}
      verb={`Delete ${name}`}
      typed={count === undefined || count >= TYPED_FROM ? String(count ?? 'all') : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      You can undo this in Activity for 30 days. If the website deploys automatically, visitors are no longer redirected
      within a second.
    </Confirm>
  );
}
