import { bulkDelete } from '../../api/redirects.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { BulkProps } from './selection.ts';

/** Up to so many are deleted one by one, each of which can be brought back; more are asked about first. */
export const UNDOABLE = 20;

/** From here on the number itself has to be written. */
const MANY = 1_000;

export function BulkDelete({ list, selection, view, onClose }: BulkProps & { onClose: () => void }) {
  const count = selection.count();
  const what = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  async function confirm(): Promise<void> {
    const { deleted } = await bulkDelete(selection.asked(view.filter));
    selection.clear();
    list.reload();
    list.wrote();
    toast(`${counted(deleted, 'redirect')} deleted`);
  }
  return (
    <Confirm
      title={`Delete ${what}?`}
      verb={`Delete ${what}`}
      typed={count === undefined || count >= MANY ? String(count ?? 'all') : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      So many cannot be brought back with Undo. An export first keeps a copy that can be imported again. Where
      the website deploys by itself, visitors stop being redirected within a second; a rollback in Deployments
      restores what is live.
    </Confirm>
  );
}
