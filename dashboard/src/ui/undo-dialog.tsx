import { previewUndo } from '../api/changes.ts';
import type { Undone } from '../api/client/wire.ts';
import { counted, number } from '../format.ts';
import { useResource } from '../state/resource/use-resource.ts';
import { FormDialog } from './form/form-dialog.tsx';
import { Loaded, Problem } from './page/states.tsx';
import { REASONS, undo, type UndoHandlers } from './undo-change.ts';

/** Lines of the list; the service lists up to 1,000 conflicts. */
const MAX_CONFLICTS = 100;

/** Shows what undoing a change would do, then does it. */
export function UndoChange({
  changeId,
  onClose,
  ...handlers
}: { changeId: string; onClose: () => void } & UndoHandlers) {
  const preview = useResource(`undo:${changeId}`, (signal) => previewUndo(changeId, signal));
  const total = preview.data.value ? totalOf(preview.data.value) : 0;
  return (
    <FormDialog
      title="Undo this change?"
      verb={total > 0 ? `Undo ${counted(total, 'redirect')}` : 'Undo'}
      isReady={total > 0}
      onSend={async () => {
        await undo([changeId], handlers);
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Loaded of={preview} lines={3} height={16}>
            {(result) => <Preview result={result} />}
          </Loaded>
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

const totalOf = ({ undo: { restored, recreated, deleted } }: Undone): number => restored + recreated + deleted;

function Preview({ result }: { result: Undone }) {
  const { restored, recreated, deleted, conflicts } = result.undo;
  return (
    <>
      {totalOf(result) === 0 ? (
        <p>No redirect can be undone.</p>
      ) : (
        <ul>
          {restored > 0 && <li>{counted(restored, 'redirect')} will have the previous values again.</li>}
          {recreated > 0 && <li>{counted(recreated, 'deleted redirect')} will return.</li>}
          {deleted > 0 && <li>{counted(deleted, 'redirect')} that the change created will be deleted.</li>}
        </ul>
      )}
      {conflicts > 0 && <Conflicts result={result} />}
    </>
  );
}

function Conflicts({ result: { undo: counts, conflicts } }: { result: Undone }) {
  const hidden = counts.conflicts - Math.min(conflicts.length, MAX_CONFLICTS);
  return (
    <div>
      <h3>{counted(counts.conflicts, 'redirect stays', 'redirects stay')} as now</h3>
      <ul class="diff" aria-label="Conflicts" tabIndex={0}>
        {conflicts.slice(0, MAX_CONFLICTS).map(({ redirect_id: id, old_path: path, code }) => (
          <li key={id} class="changed">
            <span aria-hidden="true">!</span>
            <span class="break">
              {path} <span class="muted">{REASONS[code]}</span>
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="small muted">and {number(hidden)} more</p>}
    </div>
  );
}
