import type { RowChange } from '../../../../src/vocabulary/import-verdict.ts';
import type { CheckedRow } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { PathText } from '../../ui/path-text.tsx';
import { VERDICT_WORDS } from './verdict-words.ts';

const FIELD: Record<RowChange, string> = {
  new_path: 'target',
  status_code: 'status',
  is_regex: 'kind',
  group_id: 'group',
  notes: 'notes',
  target_environments: 'environments',
};

/** One row of the file; a place that is kept until the row has come. */
export function CheckedRowLine({
  row,
  at,
  y,
  websiteId,
}: {
  row: CheckedRow | undefined;
  at: number;
  y: number;
  websiteId: number;
}) {
  const style = { transform: `translateY(${y}px)` };
  if (!row) {
    return (
      <div class="file-row" aria-hidden="true" style={style}>
        <span class="skeleton" />
      </div>
    );
  }
  const { line, verdict, old_path, new_path } = row;
  const { one, tone } = VERDICT_WORDS[verdict];
  return (
    <div role="row" class="file-row" data-verdict={verdict} aria-rowindex={at + 2} style={style}>
      <span role="cell" class="file-number muted">
        {number(line)}
      </span>
      <span role="cell">
        <span class={`badge ${tone}`}>{one}</span>
      </span>
      <span role="cell" class="mono file-from">
        {old_path === null ? <span class="muted">could not be read</span> : <PathText path={old_path} />}
      </span>
      {row.error ? (
        <span role="cell" class="file-reason" aria-colspan={3} title={row.error.message}>
          {row.error.message}
        </span>
      ) : (
        <>
          <span role="cell" class="mono file-to">
            {new_path === null ? <span class="muted">no target</span> : <PathText path={new_path} />}
          </span>
          <Status row={row} />
          <span role="cell" class="muted file-now">
            <Now row={row} websiteId={websiteId} />
          </span>
        </>
      )}
    </div>
  );
}

function Status({ row: { verdict, changes, status_code, there } }: { row: CheckedRow }) {
  const isChanged = verdict === 'replaces' && changes.includes('status_code');
  return (
    <span role="cell" class="file-status">
      {isChanged && <s class="muted">{there?.status_code}</s>} {status_code}
    </span>
  );
}

/** What the row meets: the redirect of its path, or another row of the file. */
function Now({ row, websiteId }: { row: CheckedRow; websiteId: number }) {
  const { verdict, by_line, there, changes } = row;
  if (verdict === 'repeated') return <>line {number(by_line ?? 0)} decides about this path</>;
  if (!there) return row.is_regex ? <>a pattern</> : null;
  const target = (
    <a
      class="mono"
      href={`/websites/${websiteId}/redirects?open=${there.id}`}
      target="_blank"
      rel="noreferrer"
    >
      <PathText path={there.new_path ?? `status ${there.status_code}`} />
    </a>
  );
  if (changes.includes('new_path')) return <>{target}</>;
  if (verdict === 'unchanged') return <>the same</>;
  return (
    <>
      {verdict === 'skipped' ? 'differs in ' : 'changes '}
      {changes.map((field) => FIELD[field]).join(', ')}
    </>
  );
}
