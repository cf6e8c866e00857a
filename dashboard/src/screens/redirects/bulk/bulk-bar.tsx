import { useSignal } from '@preact/signals';
import { number } from '../../../format.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { BulkDelete } from './bulk-delete.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import type { BulkProps } from '../list/selection.ts';

/** Actions for the selected rows. `onDelete` decides whether to ask first. */
export function BulkBar({
  list,
  selection,
  view,
  isDeleting,
  onDelete,
  onEndDelete,
}: BulkProps & { isDeleting: boolean; onDelete: () => void; onEndDelete: () => void }) {
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
          <Button kind="quiet" size="small" onClick={() => selection.selectAll()}>
            Select all {number(total)}
          </Button>
        )}
        <Button size="small" icon="edit" onClick={() => (isEditing.value = true)}>
          Edit
        </Button>
        <Button size="small" kind="danger" icon="trash" onClick={onDelete}>
          Delete
        </Button>
        <IconButton label="Clear selection" icon="close" size="small" onClick={() => selection.clear()} />
      </div>
      {isEditing.value && (
        <BulkEdit list={list} selection={selection} view={view} onClose={() => (isEditing.value = false)} />
      )}
      {isDeleting && <BulkDelete list={list} selection={selection} view={view} onClose={onEndDelete} />}
    </>
  );
}
