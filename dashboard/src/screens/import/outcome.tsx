import type { FileImported } from '../../api/wire.ts';
import { number } from '../../format.ts';

export function Outcome({ result }: { result: FileImported }) {
  const { imported, skipped, updated, changed, error_count } = result;
  const parts = [
    { tone: 'ok', count: imported, label: 'created' },
    { tone: 'ok', count: changed, label: 'updated' },
    { tone: 'quiet', count: skipped + updated - changed, label: 'left as they were' },
    { tone: 'danger', count: error_count, label: error_count === 1 ? 'invalid row' : 'invalid rows' },
  ].filter(({ count, tone }) => count > 0 || tone === 'danger');
  return (
    <dl class="verdicts">
      {parts.map(({ tone, count, label }) => (
        <div key={label} data-tone={count === 0 ? 'quiet' : tone}>
          <dd>{number(count)}</dd>
          <dt>{label}</dt>
        </div>
      ))}
    </dl>
  );
}
