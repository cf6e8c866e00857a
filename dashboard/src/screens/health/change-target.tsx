import { useSignal } from '@preact/signals';
import type { BrokenTarget } from '../../api/client/wire.ts';
import type { BulkEffect } from '../../api/redirects.ts';
import { counted } from '../../format.ts';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Effect } from '../redirects/bulk/effect.tsx';
import { type BrokenList, changeTargets } from './actions.ts';
import { byTarget, commonTarget } from './broken-groups.ts';

interface Props {
  list: BrokenList;
  found: readonly BrokenTarget[];
  onDone?: () => void;
  onClose: () => void;
}

const FIELDS: FieldTable<{ target: string }> = [
  { name: 'target', label: 'To', isCode: true, required: true, autofocus: true, placeholder: '/new-path' },
];

/** Broken targets that are named. */
const MAX_NAMED = 3;

/** Gives redirects one new target. Stays open if none of them can have it, and says why. */
export function ChangeTarget({ list, found, onDone, onClose }: Props) {
  const draft = useSignal({ target: commonTarget(found) ?? '' });
  const effect = useSignal<BulkEffect | undefined>(undefined);
  const name = counted(found.length, 'redirect');
  const targets = byTarget(found);
  async function send(): Promise<void> {
    const target = draft.value.target.trim();
    const result = await changeTargets(list, found, () => target);
    if (result.changed === 0 && result.invalid > 0) {
      effect.value = result;
      return;
    }
    onDone?.();
    onClose();
  }
  return (
    <FormDialog
      title={`Change the target of ${name}`}
      verb={`Change ${name}`}
      isReady={isFilled(FIELDS, draft.value)}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <ul class="stack gap-1">
            {targets.slice(0, MAX_NAMED).map(([first, ...more]) => (
              <li key={first?.new_path}>
                {counted(1 + more.length, 'redirect leads', 'redirects lead')} to{' '}
                <span class="mono">
                  <WrappedPath path={first?.new_path ?? ''} />
                </span>
              </li>
            ))}
            {targets.length > MAX_NAMED && (
              <li class="muted">and {counted(targets.length - MAX_NAMED, 'more broken target')}</li>
            )}
          </ul>
          <FormFields
            fields={FIELDS}
            draft={draft.value}
            onChange={(changes) => {
              effect.value = undefined;
              draft.value = { ...draft.value, ...changes };
            }}
            error={error}
          />
          <Effect effect={effect.value} />
        </>
      )}
    </FormDialog>
  );
}
