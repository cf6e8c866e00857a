import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { discardChanges } from '../../api/changes.ts';
import type { Discarded } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { Loaded, Problem } from '../../ui/page/states.tsx';
import { conflictsText, undoAction } from '../../ui/undo-change.ts';

interface Place {
  websiteId: number;
  environment: Environment;
}

/** Shows what discarding all changes that wait would do, then does it. */
export function DiscardAll({ websiteId, environment, onClose }: Place & { onClose: () => void }) {
  const preview = useResource('discard', (signal) => discardChanges(websiteId, { environment, dry_run: true }, signal));
  const total = preview.data.value ? totalOf(preview.data.value) : 0;
  return (
    <FormDialog
      title={`Discard the changes for ${environment}?`}
      verb={total > 0 ? `Discard ${counted(total, 'change')}` : 'Discard'}
      kind="danger"
      isReady={total > 0}
      onSend={async () => {
        report(await discardChanges(websiteId, { environment }));
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Loaded of={preview} lines={3} height={16}>
            {(result) => <Effect result={result} environment={environment} />}
          </Loaded>
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

function Effect({ result, environment }: { result: Discarded; environment: Environment }) {
  const { restored, recreated, deleted } = result.discard;
  const others = result.environments.filter((each) => each !== environment);
  return (
    <>
      <ul>
        {restored > 0 && <li>{counted(restored, 'redirect')} will have the values of the live version again.</li>}
        {recreated > 0 && <li>{counted(recreated, 'deleted redirect')} will return.</li>}
        {deleted > 0 && <li>{counted(deleted, 'new redirect')} will be deleted.</li>}
        {totalOf(result) === 0 && <li>No change can be discarded.</li>}
      </ul>
      {others.length > 0 && <p class="warned">This changes the redirects of {others.join(' and ')} too.</p>}
      {result.discard.conflicts > 0 && (
        <p>Not possible: {conflictsText({ undo: result.discard, conflicts: result.conflicts })}.</p>
      )}
    </>
  );
}

/** Discards the change of one redirect, with Undo. */
export async function discardOne({ websiteId, environment }: Place, redirectId: number): Promise<void> {
  try {
    report(await discardChanges(websiteId, { environment, redirect_ids: [redirectId] }));
  } catch (thrown) {
    toastError(thrown, 'Could not discard the change');
  }
}

const totalOf = ({ discard: { restored, recreated, deleted } }: Discarded): number => restored + recreated + deleted;

function report(result: Discarded): void {
  const { discard, conflicts, change_id: changeId } = result;
  const text = changeId === null ? 'Nothing discarded' : `${counted(totalOf(result), 'change')} discarded`;
  const details = conflictsText({ undo: discard, conflicts });
  toast(text, undoAction(changeId, { onUndone: () => {} }), undefined, details, discard.conflicts > 0);
}
