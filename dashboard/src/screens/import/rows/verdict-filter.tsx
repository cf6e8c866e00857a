import type { Verdict } from '../../../../../src/vocabulary/import/verdict.ts';
import { number } from '../../../format.ts';
import type { FileImport } from '../file-import.ts';
import { rowsIn, VERDICT_ORDER, type VerdictCounts } from '../page-cache.ts';

interface Labels {
  /** at a row */
  label: string;
  /** below the count of these rows */
  plural: string;
  /** heading of a list of these rows */
  title: string;
  tone: 'ok' | 'warn' | 'danger' | '';
}

export const VERDICT_LABELS: Record<Verdict, Labels> = {
  new: { label: 'New', plural: 'new', title: 'New redirects', tone: 'ok' },
  replaces: { label: 'Update', plural: 'to update', title: 'Redirects to update', tone: 'warn' },
  unchanged: { label: 'Unchanged', plural: 'unchanged', title: 'Unchanged redirects', tone: '' },
  skipped: { label: 'Skipped', plural: 'skipped', title: 'Skipped redirects', tone: '' },
  repeated: { label: 'Repeated', plural: 'repeated', title: 'Repeated rows', tone: 'warn' },
  invalid: { label: 'Invalid', plural: 'invalid rows', title: 'Invalid rows', tone: 'danger' },
};

/** The number of rows of each verdict; a click filters by it. */
export function VerdictFilter({ work, counts }: { work: FileImport; counts: VerdictCounts }) {
  const { shown } = work;
  const present = VERDICT_ORDER.filter((verdict) => counts[verdict] > 0);
  const button = (verdict: Verdict | undefined, count: number, label: string, tone: string) => (
    <button
      key={label}
      type="button"
      class={`card ${tone}`}
      aria-pressed={shown.value === verdict}
      onClick={() => (shown.value = verdict)}
    >
      <strong>{number(count)}</strong> <span class="muted">{label}</span>
    </button>
  );
  return (
    <div class="verdicts" role="group" aria-label="Rows to show">
      {button(undefined, rowsIn(counts), rowsIn(counts) === 1 ? 'row' : 'rows', '')}
      {present.map((verdict) => {
        const { plural, tone } = VERDICT_LABELS[verdict];
        const isSingleInvalid = verdict === 'invalid' && counts.invalid === 1;
        return button(verdict, counts[verdict], isSingleInvalid ? 'invalid row' : plural, tone);
      })}
    </div>
  );
}
