import { type Verdict, VERDICTS } from '../../../../src/vocabulary/import-verdict.ts';
import type { FileImported } from '../../api/wire.ts';
import { number } from '../../format.ts';
import type { FileImport } from './file-import.ts';
import { VERDICT_LABELS } from './verdict-labels.ts';

export type VerdictCounts = NonNullable<FileImported['verdicts']>;

export const rowsIn = (counts: VerdictCounts): number => VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);

/** The number of rows of each verdict; a click filters by it. */
export function VerdictFilter({ work, counts }: { work: FileImport; counts: VerdictCounts }) {
  const { shown } = work;
  const present = VERDICTS.filter((verdict) => counts[verdict] > 0);
  const button = (verdict: Verdict | undefined, count: number, label: string, tone: string) => (
    <button
      key={label}
      type="button"
      data-tone={tone}
      aria-pressed={shown.value === verdict}
      onClick={() => (shown.value = verdict)}
    >
      <strong>{number(count)}</strong> <span>{label}</span>
    </button>
  );
  return (
    <div class="verdicts" role="group" aria-label="Rows to show">
      {button(undefined, rowsIn(counts), rowsIn(counts) === 1 ? 'row in the file' : 'rows in the file', 'all')}
      {present.map((verdict) => {
        const { plural, tone } = VERDICT_LABELS[verdict];
        const isSingleInvalid = verdict === 'invalid' && counts.invalid === 1;
        return button(verdict, counts[verdict], isSingleInvalid ? 'invalid row' : plural, tone);
      })}
    </div>
  );
}
