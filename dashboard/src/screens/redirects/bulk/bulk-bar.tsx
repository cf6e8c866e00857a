import { useSignal } from '@preact/signals';
import { bulkDelete } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { toast } from '../../../state/toasts.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectionBar } from '../../../ui/list/selection-bar.tsx';
import { undoAction } from '../../../ui/undo-change.ts';
import type { GridModel } from '../list/grid-model.ts';
import { BulkEdit } from './bulk-edit.tsx';
import { ConfirmDeletion } from './confirm-deletion.tsx';
import { DeletionFacts } from './deletion-facts.tsx';

/** Actions for the selected rows. */
export function BulkBar({ model }: { model: GridModel }) {
  const { list, selection, isDeleting, deleteSelected } = model;
  const isEditing = useSignal(false);
  if (selection.isEmpty()) return null;
  const count = selection.count();
  const total = list.total.value;
  /** Keys that follow are for the rows: the pressed button is gone. */
  const then = (run: () => void) => (): void => {
    run();
    model.scroller()?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
  };
  const canWiden = !selection.isAll.value && total !== undefined && total > (count ?? 0);
  return (
    <>
      <SelectionBar
        label="Selected redirects"
        count={count}
        widen={canWiden ? { label: `Select all ${number(total)}`, run: then(selection.selectAll) } : undefined}
        onClear={then(selection.clear)}
      >
        <Button size="small" icon="edit" onClick={() => (isEditing.value = true)}>
          Edit
        </Button>
        <Button size="small" kind="danger" icon="trash" onClick={deleteSelected}>
          Delete
        </Button>
      </SelectionBar>
      {isEditing.value && <BulkEdit model={model} onClose={() => (isEditing.value = false)} />}
      {isDeleting.value && <BulkDelete model={model} onClose={() => (isDeleting.value = false)} />}
    </>
  );
}

function BulkDelete({ model, onClose }: { model: GridModel; onClose: () => void }) {
  const { list, selection, view } = model;
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
    <ConfirmDeletion count={selection.count()} onConfirm={confirm} onClose={onClose}>
      <DeletionFacts model={model} />
    </ConfirmDeletion>
  );
}
