import type { MoveState } from '../../../../src/vocabulary/moves.ts';
import type { Move, MoveSummary } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { Notice } from '../../ui/page/states.tsx';

export const STATE_TEXT: Record<MoveState, string> = {
  matching: 'Matching',
  ready: 'Open',
  applied: 'Applied',
  failed: 'Failed',
};

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** Never 100 % before everything is decided. */
const share = (part: number, all: number): string =>
  percent.format(all === 0 ? 1 : Math.floor((100 * part) / all) / 100);

/** How many rows are decided, and how much of their weight. */
export function Progress({ move: { progress, state } }: { move: Pick<MoveSummary, 'progress' | 'state'> }) {
  const { rows, matched, decided, weight, weight_decided: byWeight } = progress;
  return (
    <span class="stack move-progress">
      <progress aria-label="Decided rows" max={Math.max(rows, 1)} value={decided} />
      <span class="small muted">
        {number(decided)} of {number(rows)} decided ({share(decided, rows)})
        {weight > 0 && `, ${share(byWeight, weight)} by weight`}
        {state === 'matching' && `; suggestions for ${number(matched)} are ready`}
      </span>
    </span>
  );
}

/** Targets that many rows share. */
export function SharedTargets({ of }: { of: Move['warnings'] }) {
  if (of.length === 0) return null;
  return (
    <Notice>
      {of.map(({ target, rows }) => (
        <p key={target}>
          {counted(rows, 'row')} go to <span class="mono">{target}</span>
        </p>
      ))}
      <p>Search engines may take pages that share a target for missing ones.</p>
    </Notice>
  );
}
