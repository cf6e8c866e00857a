import { useSignal } from '@preact/signals';
import { bulkUpdate, type BulkChange, previewBulkUpdate } from '../../../api/redirects.ts';
import { counted } from '../../../format.ts';
import { toast } from '../../../state/toasts.ts';
import { useAnswer } from '../../../state/resource/use-answer.ts';
import { FormDialog } from '../../../ui/form/form-dialog.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import { undoAction } from '../../../ui/undo-change.ts';
import { isComplete, resultText, shownValues, verbOf } from './bulk-changes.ts';
import { Effect } from './effect.tsx';
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
          {unchecked ? (
            <Problem error={unchecked} />
          ) : (
            <Effect effect={effect} updates={updates.value}>
              {key === undefined ? 'Choose what to change.' : 'Checking…'}
            </Effect>
          )}
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
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
