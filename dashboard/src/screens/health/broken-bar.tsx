import { useSignal } from '@preact/signals';
import type { BrokenTarget } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { useKeys } from '../../state/keys.ts';
import { toastError } from '../../state/toasts.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { RowSelectionBar } from '../../ui/list/selection-bar.tsx';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { ConfirmDeletion, UNASKED } from '../redirects/bulk/confirm-deletion.tsx';
import { type BrokenList, changeTargets, deleteBroken } from './actions.ts';
import { bestTarget } from './broken-groups.ts';
import { ChangeTarget } from './change-target.tsx';

interface Props {
  list: BrokenList;
  rows: readonly BrokenTarget[];
  selection: RowSelection<number>;
}

/** Actions for the selected redirects with broken targets. */
export function BrokenBar({ list, rows, selection }: Props) {
  const asks = useSignal<'target' | 'deletion' | undefined>(undefined);
  const selected = rows.filter(({ redirect_id: id }) => selection.has(id));
  const suggested = selected.filter((found) => bestTarget(found) !== undefined);
  const without = selected.length - suggested.length;
  const askTarget = (): void => void (asks.value = 'target');
  const close = (): void => void (asks.value = undefined);
  async function useSuggestions(): Promise<void> {
    await changeTargets(list, suggested, bestTarget);
    selection.clear();
  }
  async function remove(): Promise<void> {
    await deleteBroken(list, selected);
    selection.clear();
  }
  function startDeletion(): void {
    if (selected.length > UNASKED) asks.value = 'deletion';
    else remove().catch((thrown: unknown) => toastError(thrown, 'Could not delete'));
  }
  useKeys(
    selected.length === 0
      ? []
      : [
          { keys: 't', label: 'Change the target of the selected redirects', run: askTarget },
          { keys: 'Delete', label: 'Delete the selected redirects', run: startDeletion },
        ],
  );
  return (
    <RowSelectionBar label="Selected redirects" selection={selection}>
      <Button size="small" onClick={askTarget}>
        Change target…
      </Button>
      {suggested.length > 0 && (
        <ActionButton size="small" failure="Could not change the targets" onAct={useSuggestions}>
          Use {counted(suggested.length, 'suggestion')}
        </ActionButton>
      )}
      {suggested.length > 0 && without > 0 && <span class="small muted">{counted(without, 'has', 'have')} none</span>}
      <Button size="small" kind="danger" icon="trash" onClick={startDeletion}>
        Delete
      </Button>
      {asks.value === 'target' && (
        <ChangeTarget list={list} found={selected} onDone={selection.clear} onClose={close} />
      )}
      {asks.value === 'deletion' && <ConfirmDeletion count={selected.length} onConfirm={remove} onClose={close} />}
    </RowSelectionBar>
  );
}
