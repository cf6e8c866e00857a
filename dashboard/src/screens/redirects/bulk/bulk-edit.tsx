import { useSignal } from '@preact/signals';
import { bulkUpdate, type BulkChange, type BulkEffect, previewBulkUpdate } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { toast } from '../../../state/toasts.ts';
import { useAnswer } from '../../../state/resource/use-answer.ts';
import { FormDialog } from '../../../ui/form/form-dialog.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import { undoAction } from '../../../ui/undo-change.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { effectLines, isComplete, reasonOf, shownValues, verbOf } from './bulk-changes.ts';
import { BulkFields } from './bulk-fields.tsx';
import type { GridModel } from '../list/grid-model.ts';
import { activityUrl } from '../../../urls.ts';

const DEBOUNCE_MS = 350;

/** Updates many redirects at once, after it has shown what will change. */
export function BulkEdit({ model, onClose }: { model: GridModel; onClose: () => void }) {
  const { selection, view } = model;
  const updates = useSignal<BulkChange>({});
  const count = selection.count();
  const name = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  const key = isComplete(updates.value) ? JSON.stringify(updates.value) : undefined;
  const preview = useAnswer(
    key,
    (signal) => previewBulkUpdate(selection.toBulk(view.filter), updates.value, signal),
    DEBOUNCE_MS,
  );
  const effect = preview.isCurrent ? preview.answer?.effect : undefined;
  const unchecked = preview.isCurrent ? preview.error : undefined;
  return (
    <FormDialog
      title={`Edit ${name}`}
      verb={verbOf(effect, name)}
      isReady={effect !== undefined && effect.changed > 0}
      onSend={async () => {
        await apply(model, updates.value);
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <BulkFields updates={updates.value} onChange={(next) => (updates.value = next)} />
          {unchecked ? <Problem error={unchecked} /> : <Effect effect={effect} isPending={key !== undefined} />}
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

function Effect({ effect, isPending }: { effect: BulkEffect | undefined; isPending: boolean }) {
  return (
    <div class="stack gap-3" aria-live="polite">
      {!effect && <p class="muted">{isPending ? 'Checking…' : 'Choose what to change.'}</p>}
      {effect && (
        <ul>
          {effectLines(effect).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {effect?.problems.map((problem) => (
        <details key={`${problem.field} ${problem.code}`}>
          <summary>
            {counted(problem.count, 'redirect')}: {reasonOf(problem)}
          </summary>
          <ul class="diff" aria-label="Redirects that cannot change" tabIndex={0}>
            {problem.redirects.map(({ redirect_id: id, old_path: path }) => (
              <li key={id} class="changed">
                <span aria-hidden="true">!</span>
                <WrappedPath path={path} />
              </li>
            ))}
          </ul>
          {problem.count > problem.redirects.length && (
            <p class="small muted">and {number(problem.count - problem.redirects.length)} more</p>
          )}
        </details>
      ))}
    </div>
  );
}

/**
 * Loaded rows change in place and stay, also those that no longer match the filter: a list that is empty after an edit
 * looks as if the redirects were deleted.
 */
async function apply({ list, selection, view }: GridModel, updates: BulkChange): Promise<void> {
  const ids = selection.isAll.value ? new Set(list.rows.value.map(({ id }) => id)) : selection.ids.value;
  const { effect, change_id: changeId } = await bulkUpdate(selection.toBulk(view.filter), updates);
  function refresh(): void {
    list.markStale(ids);
    list.countBulkWrite();
  }
  if (effect.invalid === 0) list.patchAll(ids, shownValues(updates));
  refresh();
  selection.clear();
  const link = { label: 'View change', href: activityUrl(view.filter.website_id, { change: changeId ?? '' }) };
  toast(resultText(effect), undoAction(changeId, { onUndone: refresh }), changeId === null ? undefined : link);
}

function resultText({ changed, invalid }: BulkEffect): string {
  const done = `${counted(changed, 'redirect')} updated`;
  return invalid === 0 ? done : `${done}; ${counted(invalid, 'redirect')} left unchanged`;
}
