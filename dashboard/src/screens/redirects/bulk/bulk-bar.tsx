import { useSignal } from '@preact/signals';
import { number } from '../../../format.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { BulkDelete } from './bulk-delete.tsx';
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
