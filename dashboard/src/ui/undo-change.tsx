import { previewUndo, undoChange } from '../api/changes.ts';
import type { Undone } from '../api/client/wire.ts';
import { counted, number } from '../format.ts';
import { type Toast, toast, toastError, undoing } from '../state/toasts.ts';
import { useResource } from '../state/resource/use-resource.ts';
import { undoneText } from './text/change-text.ts';
import { FormDialog } from './form/form-dialog.tsx';
import { Loaded, Problem } from './page/states.tsx';

/** Called when a change was undone, and, if the user then undoes that, when it was made again. */
export interface UndoHandlers {
  onUndone: () => void;
  /** default: onUndone */
  onRedone?: () => void;
}

/** The Undo of a toast after one or several changes, or the Redo after an Undo; undefined if nothing changed. */
export function undoAction(
  changes: string | null | readonly string[],
  handlers: UndoHandlers,
  label: UndoLabel = 'Undo',
): Toast['action'] {
  const ids = [changes ?? []].flat();
  if (ids.length === 0) return undefined;
  return { label, run: () => void undo(ids, handlers, label).catch(reportFailure) };
}

type UndoLabel = 'Undo' | 'Redo';

/**
 * Undoes changes, the last one first, and shows the result as a toast that offers the opposite. Rejects if a request
 * fails.
 */
export async function undo(
  changes: readonly string[],
  { onUndone, onRedone = onUndone }: UndoHandlers,
  label: UndoLabel = 'Undo',
): Promise<void> {
  const results: Undone[] = [];
  try {
    for (const id of changes.toReversed()) results.push(await undoing(undoChange(id)));
  } finally {
    if (results.length > 0) onUndone();
  }
  const result = together(results);
  const undone = results.flatMap(({ change_id: id }) => id ?? []);
  toast(
    undoneText(result),
    undoAction(undone, { onUndone: onRedone, onRedone: onUndone }, label === 'Undo' ? 'Redo' : 'Undo'),
    undefined,
    conflictsText(result),
    result.undo.conflicts > 0,
  );
}

/** The results of several undos as one. */
export function together(results: readonly Undone[]): Pick<Undone, 'undo' | 'conflicts'> {
  const sum = (name: keyof Undone['undo']): number =>
    results.reduce((total, { undo: counts }) => total + counts[name], 0);
  return {
    undo: {
      restored: sum('restored'),
      recreated: sum('recreated'),
      deleted: sum('deleted'),
      conflicts: sum('conflicts'),
    },
    conflicts: results.flatMap(({ conflicts }) => conflicts),
  };
}

const MAX_NAMED = 3;

/** `/a: changed since; /b: ...; and 5 more`; undefined without conflicts. */
function conflictsText({
  undo: { conflicts: count },
  conflicts,
}: Pick<Undone, 'undo' | 'conflicts'>): string | undefined {
  if (count === 0) return undefined;
  const named = conflicts.slice(0, MAX_NAMED).map(({ old_path: path, code }) => `${path}: ${REASONS[code]}`);
  const more = count - named.length;
  return [...named, ...(more > 0 ? [`and ${number(more)} more`] : [])].join('; ');
}

const reportFailure = (thrown: unknown): void => toastError(thrown, 'Could not undo');

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

const REASONS: Record<Undone['conflicts'][number]['code'], string> = {
  CHANGED_SINCE: 'changed since',
  CONFLICT: 'another redirect has its path now',
  TARGET_HOST_NOT_ALLOWED: 'the host of its former target is no longer allowed',
  TOO_MANY_PATTERNS: 'the website has too many patterns',
};

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
