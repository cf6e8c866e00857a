import { useSignal } from '@preact/signals';
import { STATUS_CODES, statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { decidePaths, type PathDecision } from '../../api/analytics.ts';
import type { Decided, MissingPath } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { RowSelectionBar } from '../../ui/list/selection-bar.tsx';
import { isLikely } from '../../ui/suggestions.ts';
import { undoAction } from '../../ui/undo-change.ts';
import { type Inbox, setAllIgnored, toastSaved } from './actions.ts';

const PREVIEW_DEBOUNCE_MS = 300;

/** Actions for the selected paths. */
export function DecideBar({ inbox, rows }: { inbox: Inbox; rows: readonly MissingPath[] }) {
  const isDeciding = useSignal(false);
  const { selection } = inbox;
  const listed = rows.filter(({ path }) => selection.has(path));
  function ignore(): void {
    setAllIgnored(inbox, listed, true);
    selection.clear();
  }
  return (
    <RowSelectionBar label="Selected paths" selection={selection}>
      <Button size="small" onClick={() => (isDeciding.value = true)}>
        Decide
      </Button>
      <Button size="small" onClick={ignore}>
        Ignore
      </Button>
      {isDeciding.value && (
        <DecideDialog
          inbox={inbox}
          rows={listed}
          onDecided={selection.clear}
          onClose={() => (isDeciding.value = false)}
        />
      )}
    </RowSelectionBar>
  );
}

interface Draft {
  decision: PathDecision['decision'];
  min_confidence: 'sure' | 'likely' | 'guess';
  target: string;
  status_code: number;
}

const FIELDS: FieldTable<Draft> = [
  {
    name: 'decision',
    label: 'What happens to them',
    options: [
      ['accept_suggestion', 'Each goes to its suggestion'],
      ['redirect', 'All go to one page'],
      ['gone', 'They are gone (410)'],
    ],
  },
  {
    name: 'min_confidence',
    label: 'Suggestions',
    options: [
      ['sure', 'Only sure ones'],
      ['likely', 'Likely and sure ones'],
      ['guess', 'Guesses as well'],
    ],
    isShown: ({ decision }) => decision === 'accept_suggestion',
  },
  {
    name: 'target',
    label: 'To',
    isCode: true,
    required: true,
    placeholder: '/new-path',
    isShown: ({ decision }) => decision === 'redirect',
  },
  {
    name: 'status_code',
    label: 'Status',
    options: STATUS_CODES.filter(statusHasTarget).map((code) => [code, String(code)] as const),
    isShown: ({ decision }) => decision === 'redirect',
  },
];

function decisionOf({ decision, min_confidence, target, status_code }: Draft): PathDecision {
  if (decision === 'redirect') return { decision, target: target.trim(), status_code };
  return decision === 'gone' ? { decision } : { decision, min_confidence };
}

/** The first choice decides something: guesses if there is nothing better, otherwise one page for all. */
function startOf(rows: readonly MissingPath[]): Pick<Draft, 'decision' | 'min_confidence'> {
  const suggested = rows.filter((row) => row.suggested === 'redirect' && row.redirect === null);
  return {
    decision: suggested.length > 0 ? 'accept_suggestion' : 'redirect',
    min_confidence: suggested.some(({ confidence }) => isLikely(confidence)) ? 'likely' : 'guess',
  };
}

function DecideDialog(props: {
  inbox: Inbox;
  rows: readonly MissingPath[];
  onDecided: () => void;
  onClose: () => void;
}) {
  const { inbox, rows, onDecided, onClose } = props;
  const paths = rows.map(({ path }) => path);
  const draft = useSignal<Draft>({
    ...startOf(rows),
    target: '',
    status_code: 301,
  });
  const body = { ...decisionOf(draft.value), paths, target_environments: [inbox.environment] };
  const preview = useAnswer(
    isFilled(FIELDS, draft.value) ? JSON.stringify(body) : undefined,
    (signal) => decidePaths(inbox.websiteId, { ...body, dry_run: true }, signal),
    PREVIEW_DEBOUNCE_MS,
  );
  const count = preview.isCurrent && preview.answer ? countOf(preview.answer) : 0;
  async function send(): Promise<void> {
    const decided = await decidePaths(inbox.websiteId, { ...body, dry_run: false });
    onDecided();
    inbox.pages.reload();
    toastSaved(
      inbox,
      `${counted(countOf(decided), 'path')} decided`,
      undoAction(decided.change_id, { onUndone: inbox.pages.reload }),
    );
    onClose();
  }
  return (
    <FormDialog
      title={`Decide ${counted(paths.length, 'path')}`}
      verb={count > 0 ? `Decide ${counted(count, 'path')}` : 'Decide'}
      isReady={count > 0}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <FormFields
            fields={FIELDS}
            draft={draft.value}
            onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
            error={error ?? preview.error}
          />
          {preview.answer && <Preview decided={preview.answer} all={paths.length} />}
        </>
      )}
    </FormDialog>
  );
}

const countOf = ({ apply: { created, updated } }: Decided): number => created + updated;

/** Conflicts that are named. */
const MAX_CONFLICTS = 5;

function Preview({ decided, all }: { decided: Decided; all: number }) {
  const { conflicts } = decided;
  const count = countOf(decided);
  return (
    <div aria-live="polite">
      <p>
        {counted(count, 'path')} would be decided. {all > count && `${number(all - count)} stay in the list.`}
      </p>
      {conflicts.slice(0, MAX_CONFLICTS).map(({ url, code }) => (
        <p key={url} class="small muted">
          <span class="mono break">{url}</span>: {code}
        </p>
      ))}
    </div>
  );
}
