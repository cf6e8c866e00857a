import type { RowChange } from '../../../../../src/vocabulary/import/verdict.ts';
import type { CheckedRow } from '../../../api/client/wire.ts';
import { number } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { PathText } from '../../../ui/text/path-text.tsx';
import { redirectUrl } from '../../../urls.ts';
import { rowErrorText, statementOf } from './row-words.ts';
import { VERDICT_LABELS } from './verdict-filter.tsx';

const FIELD: Record<RowChange, string> = {
  new_path: 'target',
  status_code: 'status',
  is_regex: 'type',
  group_id: 'group',
  notes: 'notes',
  target_environments: 'environments',
  active_from: 'start',
  active_until: 'end',
};

/** One row of the file; a skeleton until it is loaded. */
export function CheckedRowLine({
  row,
  at,
  y,
  websiteId,
  onEdit,
}: {
  row: CheckedRow | undefined;
  at: number;
  y: number;
  websiteId: number;
  onEdit: (row: CheckedRow) => void;
}) {
  const style = { transform: `translateY(${y}px)` };
  if (!row) {
    return (
      <div class="grid-row file-row" aria-hidden="true" style={style}>
        <span class="skeleton" />
      </div>
    );
  }
  const { line, verdict, new_path } = row;
  const { label, tone } = VERDICT_LABELS[verdict];
  const isRepeated = verdict === 'repeated';
  return (
    <div role="row" class="grid-row file-row" data-verdict={verdict} aria-rowindex={at + 2} style={style}>
      <span role="cell" class="file-number muted">
        {number(line)}
      </span>
      <span role="cell">
        <span class={`badge ${tone}`}>{label}</span>
      </span>
      <span role="cell" class={`mono file-from ${isRepeated ? 'muted' : ''}`}>
        <Source row={row} />
      </span>
      {row.error ? (
        <span role="cell" class="row file-reason" aria-colspan={3} title={rowErrorText(row.error)}>
          {row.values && (
            <Button size="small" aria-label={`Edit line ${number(line)}`} onClick={() => onEdit(row)}>
              Edit
            </Button>
          )}
          <span>{rowErrorText(row.error)}</span>
        </span>
      ) : (
        <>
          <span role="cell" class={`mono file-to ${isRepeated || verdict === 'skipped' ? 'muted' : ''}`}>
            {new_path === null ? <span class="muted">No target</span> : <PathText path={new_path} />}
          </span>
          <Status row={row} />
          <span role="cell" class="muted truncate file-now">
            <Current row={row} websiteId={websiteId} />
          </span>
        </>
      )}
    </div>
  );
}

/** The path, or the statement of a server file that has no equal redirect. */
function Source({ row: { old_path, error } }: { row: CheckedRow }) {
  const statement = error && statementOf(error.message);
  if (statement)
    return (
      <span class="file-statement" title={statement}>
        {statement}
      </span>
    );
  return old_path === null ? <span class="muted">Unreadable</span> : <PathText path={old_path} />;
}

function Status({ row: { verdict, changes, status_code, there: existing } }: { row: CheckedRow }) {
  const isChanged = verdict === 'replaces' && changes.includes('status_code');
  return (
    <span role="cell" class="file-status">
      {isChanged && <s class="muted">{existing?.status_code}</s>} {status_code}
    </span>
  );
}

/** The existing redirect of the path, or the row of the file that is used for it. */
function Current({ row, websiteId }: { row: CheckedRow; websiteId: number }) {
  const { verdict, by_line, there: existing, changes } = row;
  if (verdict === 'repeated') return <>Line {number(by_line ?? 0)} is used for this path</>;
  if (!existing) return row.is_regex ? <>Pattern</> : null;
  const target = (
    <a class="mono" href={redirectUrl(websiteId, existing.id)} target="_blank" rel="noreferrer">
      <PathText path={existing.new_path ?? `status ${existing.status_code}`} />
    </a>
  );
  if (changes.includes('new_path')) return <>{target}</>;
  if (verdict === 'unchanged') return <>Same</>;
  return (
    <>
      {verdict === 'skipped' ? 'Differs in ' : 'Changes '}
      {changes.map((field) => FIELD[field]).join(', ')}
    </>
  );
}
