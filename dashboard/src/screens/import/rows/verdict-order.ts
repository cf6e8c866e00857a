/** The order of the rows of a checked file: those that need a decision come first, unchanged ones last. */
import type { Verdict } from '../../../../../src/vocabulary/import/verdict.ts';
import type { FileImported } from '../../../api/client/wire.ts';

export type VerdictCounts = NonNullable<FileImported['verdicts']>;

export const VERDICT_ORDER = ['invalid', 'repeated', 'skipped', 'replaces', 'new', 'unchanged'] as const;

export const rowsIn = (counts: VerdictCounts): number =>
  VERDICT_ORDER.reduce((sum, verdict) => sum + counts[verdict], 0);

/** A range of the rows of one verdict. */
export interface RowRange {
  verdict: Verdict;
  offset: number;
  limit: number;
}

/** The ranges that make up the rows `first` up to, excluding, `end`; of one verdict if `only` is given. */
export function rangesOf(counts: VerdictCounts, only: Verdict | undefined, first: number, end: number): RowRange[] {
  let start = 0;
  return (only ? [only] : VERDICT_ORDER).flatMap((verdict) => {
    const offset = Math.max(first - start, 0);
    const limit = Math.min(end - start, counts[verdict]) - offset;
    start += counts[verdict];
    return limit > 0 ? [{ verdict, offset, limit }] : [];
  });
}
