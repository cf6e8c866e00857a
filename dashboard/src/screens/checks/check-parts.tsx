/** Parts of a check that its list and its page show. */
import { useSignal } from '@preact/signals';
import { stopLiveCheck } from '../../api/live-checks.ts';
import type { ListedLiveCheck, LiveCheck, Website } from '../../api/client/wire.ts';
import { STATE_ORDER, STATES, STATUSES } from '../../checks/states.ts';
import { counted, nearTime, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';

export function StatusBadge({ check: { status } }: { check: Pick<ListedLiveCheck, 'status'> }) {
  return <span class={`badge ${STATUSES[status].tone}`}>{STATUSES[status].label}</span>;
}

/** How many targets have a state, and when all should. */
export function Progress({ check }: { check: ListedLiveCheck }) {
  const { progress, estimated_end: end } = check;
  const now = Date.now();
  const isLate = Date.parse(end) < now;
  return (
    <span class="stack check-progress">
      <progress aria-label="Progress" max={Math.max(progress.total, 1)} value={progress.done} />
      <span class="small muted">
        {number(progress.done)} of {number(progress.total)}
        {isLate ? ', takes longer than estimated' : `, ends at about ${nearTime(end, now)}`}
      </span>
    </span>
  );
}

/** Without an earlier check, nothing is new. */
export const newlyLabel = ({ is_first: isFirst }: Pick<LiveCheck, 'is_first'>): string =>
  isFirst ? 'Broken' : 'Newly broken';

/** The number of newly broken targets, and that of each state. */
export function Counts({ check }: { check: LiveCheck }) {
  const { states, newly_broken: newly } = check;
  return (
    <span class="row wrap gap-1">
      {newly > 0 && (
        <span class="badge danger strong">
          {newlyLabel(check)} {number(newly)}
        </span>
      )}
      {STATE_ORDER.map((state) => {
        const count = states[state] ?? 0;
        return count === 0 ? null : (
          <span key={state} class={`badge ${STATES[state].tone}`}>
            {STATES[state].label} {number(count)}
          </span>
        );
      })}
      {Object.keys(states).length === 0 && <span class="small muted">No results</span>}
    </span>
  );
}

/** Stops a running check after a confirmation. */
export function StopButton(props: { website: Website; check: ListedLiveCheck; onStopped: () => void; size?: 'small' }) {
  const { website, check, onStopped, size } = props;
  const isAsking = useSignal(false);
  if (!mayEdit.value) return null;
  async function stop(): Promise<void> {
    await stopLiveCheck(website.id, check.id);
    onStopped();
    toast('The check is stopped. Its results stay.');
  }
  const left = check.progress.total - check.progress.done;
  return (
    <>
      <Button size={size} onClick={() => (isAsking.value = true)}>
        Stop
      </Button>
      {isAsking.value && (
        <Confirm title="Stop the check?" verb="Stop check" onConfirm={stop} onClose={() => (isAsking.value = false)}>
          {counted(left, 'target has', 'targets have')} no result yet. A stopped check cannot go on; its results stay.
        </Confirm>
      )}
    </>
  );
}
