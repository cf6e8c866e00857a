import { bulkDelete } from '../../api/redirects.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { BulkProps } from './selection.ts';

/** Up to this number are deleted one by one, with Undo. More need a confirmation. */
export const UNDOABLE = 20;

/** From this number on, the user must type the number. */
const TYPED_FROM = 1_000;

export function BulkDelete({ list, selection, view, onClose }: BulkProps & { onClose: () => void }) {
  const count = selection.count();
  const name = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  async function confirm(): Promise<void> {
    const { deleted } = await bulkDelete(selection.toBulk(view.filter));
    selection.clear();
    list.reload();
    list.countBulkWrite();
    toast(`${counted(deleted, 'redirect')} deleted`);
  }
  return (
    <Confirm
      title={`Delete ${name}?`}
      verb={`Delete ${name}`}
      typed={count === undefined || count >= TYPED_FROM ? String(count ?? 'all') : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      You cannot undo this. Export the redirects first to keep a copy that you can import again. If the website deploys
      automatically, visitors are no longer redirected within a second. A rollback in Deployments restores what was
      live.
    </Confirm>
  );
}
