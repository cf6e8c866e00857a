import { useSignal } from '@preact/signals';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { Move } from '../../api/client/wire.ts';
import { type AppliedMove, applyMove, type ApplyOptions } from '../../api/moves.ts';
import { counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { toast } from '../../state/toasts.ts';
import { Check } from '../../ui/form/field.tsx';
import { type FieldTable, FormFields } from '../../ui/form/form-fields.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { GroupField } from '../../ui/form/group-field.tsx';
import { Skeleton } from '../../ui/page/states.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { undoAction } from '../../ui/undo-change.ts';
import { reviewUrl } from '../../urls.ts';
import type { DialogProps } from './bulk-dialog.tsx';
import { SharedTargets } from './progress.tsx';

const DEBOUNCE_MS = 300;
/** Conflicts and redirects to flatten that are named. */
const MAX_NAMED = 20;

interface Draft {
  environment: Environment | 'all';
  group_id: string;
  expectations: boolean;
  replaces: boolean;
  flatten: boolean;
}

const START: Draft = { environment: 'production', group_id: '', expectations: true, replaces: false, flatten: false };

const FIELDS: FieldTable<Draft> = [
  {
    name: 'environment',
    label: 'Environments',
    options: [...ENVIRONMENTS.map((each) => [each, ENVIRONMENT_LABEL[each]] as const), ['all', 'All environments']],
  },
  {
    name: 'group_id',
    control: ({ value, onChange, error }) => (
      <GroupField label="Group" hint="Of the new redirects." value={value} onText={onChange} error={error} />
    ),
  },
];

const optionsOf = ({ environment, group_id, expectations, replaces, flatten }: Draft): ApplyOptions => ({
  target_environments: environment === 'all' ? [...ENVIRONMENTS] : [environment],
  group_id: group_id.trim() || undefined,
  status_code: 301,
  expectations,
  on_conflict: replaces ? 'update' : undefined,
  flatten,
});

/** Shows what the decisions would write, writes it, and goes to the review of the deployment. */
export function ApplyDialog({ desk: { website, moveId, changed, move }, onClose }: DialogProps) {
  const draft = useSignal(START);
  const options = optionsOf(draft.value);
  const preview = useAnswer(
    JSON.stringify(options),
    (signal) => applyMove(website.id, moveId, { ...options, dry_run: true }, signal),
    DEBOUNCE_MS,
  );
  const found = preview.isCurrent ? preview.answer : undefined;
  const count = found ? found.apply.created + found.apply.updated : 0;
  const set = (changes: Partial<Draft>): void => void (draft.value = { ...draft.value, ...changes });
  async function send(): Promise<void> {
    const {
      apply,
      change_id: changeId,
      deployments,
    } = await applyMove(website.id, moveId, { ...options, dry_run: false });
    changed();
    toast(
      `${counted(apply.created, 'redirect')} created, ${number(apply.updated)} updated`,
      undoAction(changeId, { onUndone: changed }),
    );
    const [environment = 'production'] = options.target_environments;
    // Automatic deployments need no review.
    go(
      deployments.length > 0
        ? `/websites/${website.id}/deployments`
        : reviewUrl(website.id, environment, { action: 'deploy' }),
    );
  }
  return (
    <FormDialog
      title="Apply the move"
      verb={count > 0 ? `Write ${counted(count, 'redirect')}` : 'Write'}
      isReady={count > 0}
      isDisposable
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <FormFields fields={FIELDS} draft={draft.value} onChange={set} error={error ?? preview.error} />
          <Choices draft={draft.value} set={set} />
          <section class="stack gap-3" aria-live="polite" aria-label="Effect">
            <Undecided progress={move?.progress} />
            {found ? <Effect found={found} /> : !preview.error && <Skeleton lines={3} />}
          </section>
          {found && found.flatten_count > 0 && (
            <Check
              label={`Lead ${counted(found.flatten_count, 'older redirect')} straight to the new page`}
              hint="They lead to pages that this move moves."
              checked={draft.value.flatten}
              onCheck={(flatten) => set({ flatten })}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function Choices({ draft, set }: { draft: Draft; set: (changes: Partial<Draft>) => void }) {
  return (
    <>
      <Check
        label="Expect every row"
        hint="Each old URL becomes an expectation, so that no later deployment loses it."
        checked={draft.expectations}
        onCheck={(expectations) => set({ expectations })}
      />
      <Check
        label="Replace redirects that lead elsewhere"
        hint="Otherwise they stay, and are listed as conflicts."
        checked={draft.replaces}
        onCheck={(replaces) => set({ replaces })}
      />
    </>
  );
}

/** Rows without a decision: nothing is written for them. */
function Undecided({ progress }: { progress: Move['progress'] | undefined }) {
  if (!progress || progress.decided === progress.rows) return null;
  const { rows, decided, weight, weight_decided: done } = progress;
  const share = weight > 0 ? `, ${number(Math.round((100 * (weight - done)) / weight))} % of the weight,` : '';
  return (
    <p class="warned">
      {counted(rows - decided, 'row')}
      {share} {rows - decided === 1 ? 'is' : 'are'} undecided. Nothing is written for
      {rows - decided === 1 ? ' it' : ' them'}, so old URLs without a redirect are not found.
    </p>
  );
}

function Effect({ found }: { found: AppliedMove }) {
  const { conflicts, conflict_count: count } = found;
  const { created, updated, gone, rules, left_out: leftOut } = found.apply;
  return (
    <>
      <p>
        {counted(created, 'redirect')} would be created ({counted(rules, 'pattern')}, {number(gone)} gone),{' '}
        {number(updated)} updated. {leftOut > 0 && `${counted(leftOut, 'row is', 'rows are')} answered already.`}
      </p>
      <Writes of={found} />
      <SharedTargets of={found.warnings} />
      {count > 0 && (
        <div>
          <h3>{counted(count, 'conflict')}</h3>
          <ul class="diff" aria-label="Conflicts" tabIndex={0}>
            {conflicts.slice(0, MAX_NAMED).map(({ url, code, message }) => (
              <li key={`${url} ${code}`} class="changed">
                <span aria-hidden="true">!</span>
                <span class="break">
                  {url} <span class="muted">{CONFLICT_TEXT[code] ?? message}</span>
                </span>
              </li>
            ))}
          </ul>
          {count > MAX_NAMED && <p class="small muted">and {number(count - MAX_NAMED)} more</p>}
        </div>
      )}
    </>
  );
}

/** The first redirects, in the form of the review of a deployment. */
function Writes({ of: { writes, apply } }: { of: AppliedMove }) {
  if (writes.length === 0) return null;
  const more = apply.created + apply.updated - writes.length;
  return (
    <div>
      <ul class="diff" aria-label="Redirects" tabIndex={0}>
        {writes.map(({ old_path: from, new_path: to, status_code: status, is_regex: isPattern }) => (
          <li key={`${isPattern} ${from}`} class="added">
            <span aria-hidden="true">+</span>
            <span class="break mono">
              {from} <span class="muted">→ {to ?? status}</span>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="small muted">and {number(more)} more</p>}
    </div>
  );
}

const CONFLICT_TEXT: Record<string, string> = {
  CONFLICT: 'a redirect leads elsewhere',
  EXPECTATION_CONFLICT: 'an expectation says otherwise, and stays',
  RULE_ANSWERS_ROW: 'a rule would answer a row that stays, and is left out',
};
