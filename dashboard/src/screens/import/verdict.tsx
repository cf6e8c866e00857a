import type { ImportResult } from '../../api/imports.ts';
import { number } from '../../format.ts';

/** Every row of the file stands in one of these. */
export function Verdict({ result, isDone }: { result: ImportResult; isDone: boolean }) {
  const { imported, skipped, updated, error_count } = result;
  const parts = [
    { tone: 'ok', count: imported, label: isDone ? 'created' : 'will be created' },
    { tone: 'ok', count: updated, label: isDone ? 'changed' : 'will be changed' },
    {
      tone: 'quiet',
      count: skipped,
      label: isDone ? 'left as they were' : 'are there already and stay as they are',
    },
    { tone: 'danger', count: error_count, label: error_count === 1 ? 'bad row' : 'bad rows' },
  ].filter(({ count, tone }) => count > 0 || tone === 'danger');
  return (
    <dl class="verdict" aria-live="polite">
      {parts.map(({ tone, count, label }) => (
        <div key={label} data-tone={count === 0 ? 'quiet' : tone}>
          <dd>{number(count)}</dd>
          <dt>{label}</dt>
        </div>
      ))}
    </dl>
  );
}
