import { bulkDelete } from '../../../api/redirects.ts';
import { counted } from '../../../format.ts';
import { toast } from '../../../state/toasts.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import type { GridModel } from '../list/grid-model.ts';
import { undoAction } from '../../../ui/undo-change.tsx';

/** From this number on, the user must type the number. */
const TYPED_FROM = 1_000;

export function BulkDelete({ model: { list, selection, view }, onClose }: { model: GridModel; onClose: () => void }) {
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
