import { useSignal } from '@preact/signals';
import type { DecidedRows } from '../../api/client/wire.ts';
import { decideFilter, type FilterDecision, undoMove } from '../../api/moves.ts';
import { counted } from '../../format.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { toast, undoWith } from '../../state/toasts.ts';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { Skeleton } from '../../ui/page/states.tsx';
import type { Desk } from './desk.ts';

const DEBOUNCE_MS = 200;

export interface DialogProps {
  desk: Desk;
  onClose: () => void;
}

interface Draft {
  decision: 'sure' | 'likely' | 'guess' | 'redirect' | 'gone' | 'keep' | 'skip' | 'none';
  target: string;
}

const FIELDS: FieldTable<Draft> = [
  {
    name: 'decision',
    label: 'Decision',
    options: [
      ['sure', 'Accept sure suggestions'],
      ['likely', 'Accept sure and likely suggestions'],
      ['guess', 'Accept all suggestions, also guesses and gone'],
      ['redirect', 'All go to one page'],
      ['gone', 'All are gone (410)'],
      ['keep', 'All stay'],
      ['skip', 'Skip all'],
      ['none', 'Take the decisions back'],
    ],
  },
  {
    name: 'target',
    label: 'To',
    isCode: true,
    required: true,
    placeholder: '/new-path',
    isShown: ({ decision }) => decision === 'redirect',
  },
];

function decisionOf({ decision, target }: Draft, { filter }: Desk): FilterDecision {
  if (decision === 'sure' || decision === 'likely' || decision === 'guess')
    return { filter, decision: 'accept_suggestion', min_confidence: decision };
  if (decision === 'redirect') return { filter, decision, target: target.trim() };
  return { filter, decision: decision === 'none' ? null : decision };
}

/** Decides all rows that the filters of the desk find, also those that are not loaded. */
export function BulkDialog({ desk, onClose }: DialogProps) {
  const { website, moveId, queue, steps, changed } = desk;
  const undecided = desk.move?.progress.undecided;
  // The first choice decides something, if that is safe.
  const draft = useSignal<Draft>({ decision: undecided?.sure === 0 ? 'likely' : 'sure', target: '' });
  const body = decisionOf(draft.value, desk);
  const preview = useAnswer(
    isFilled(FIELDS, draft.value) ? JSON.stringify(body) : undefined,
    (signal) => decideFilter(website.id, moveId, { ...body, dry_run: true }, signal),
    DEBOUNCE_MS,
  );
  const count = preview.isCurrent ? (preview.answer?.updated ?? 0) : 0;
  async function send(): Promise<void> {
    const { updated } = await decideFilter(website.id, moveId, { ...body, dry_run: false });
    changed();
    const step = steps.current;
    const undo = undoWith(async () => {
      await queue.flush();
      if (steps.current !== step) throw new Error('rows were decided since; undo those first');
      await undoMove(website.id, moveId, 1);
      changed();
    });
    toast(`${counted(updated, 'row')} decided`, undo);
    onClose();
  }
  return (
    <FormDialog
      title="Decide many rows"
      verb={count > 0 ? `Decide ${counted(count, 'row')}` : 'Decide'}
      isReady={count > 0}
      isDisposable
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>Applies to the rows that the filters of the list find.</p>
          <FormFields
            fields={FIELDS}
            draft={draft.value}
            onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
            error={error ?? preview.error}
          />
          <Effect found={preview.answer} isPending={!preview.error && isFilled(FIELDS, draft.value)} />
        </>
      )}
    </FormDialog>
  );
}

function Effect({ found, isPending }: { found: DecidedRows | undefined; isPending: boolean }) {
  return (
    <section class="stack gap-2" aria-live="polite" aria-label="Effect">
      {!found && isPending && <Skeleton />}
      {found && (
        <p>
          {found.updated === 0 ? 'No row would change.' : `${counted(found.updated, 'row')} would change, such as:`}
        </p>
      )}
      {found?.examples?.map(({ url, decision, target }) => (
        <p key={url} class="small break">
          <span class="mono">{url}</span> <span class="muted">→ {target ?? decision ?? 'undecided'}</span>
        </p>
      ))}
    </section>
  );
}
