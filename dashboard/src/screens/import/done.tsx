import { useSignal } from '@preact/signals';
import { badRowsUrl } from '../../api/imports.ts';
import type { FileImported, Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { UndoChange } from '../../ui/undo-change.tsx';
import { FIELD_LABELS, rowErrorText, statementOf } from './rows/row-words.ts';
import { ImportDeployments } from './import-deployments.tsx';

export function Done({
  website,
  result,
  since,
  onAnother,
}: {
  website: Website;
  result: FileImported;
  /** when the user clicked Import, from performance.now() */
  since: number;
  onAnother: () => void;
}) {
  const hasDeployed = result.deployments.length > 0;
  const isAsking = useSignal(false);
  const isUndone = useSignal(false);
  return (
    <>
      <section class="stack import-check">
        <h2>Import complete {isUndone.value && <span class="badge">Undone</span>}</h2>
        <Outcome result={result} />
        {hasDeployed ? (
          <ImportDeployments website={website} ids={result.deployments} since={since} />
        ) : (
          <p class="muted">Nothing was deployed. Deploy the redirects when you are ready.</p>
        )}
        <div class="actions">
          <LinkButton kind="primary" href={`/websites/${website.id}/redirects`}>
            View redirects
          </LinkButton>
          <LinkButton href={`/websites/${website.id}/deployments`}>View deployments</LinkButton>
          {result.change_id !== null && !isUndone.value && (
            <Button icon="undo" onClick={() => (isAsking.value = true)}>
              Undo import
            </Button>
          )}
          <Button kind="quiet" onClick={onAnother}>
            Import another file
          </Button>
        </div>
      </section>
      <BadRows result={result} />
      {isAsking.value && result.change_id !== null && (
        <UndoChange
          changeId={result.change_id}
          onUndone={() => (isUndone.value = true)}
          onRedone={() => (isUndone.value = false)}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </>
  );
}

function Outcome({ result }: { result: FileImported }) {
  const { imported, skipped, updated, changed, error_count } = result;
  const parts = [
    { tone: 'ok', count: imported, label: 'created' },
    { tone: 'ok', count: changed, label: 'updated' },
    { tone: '', count: skipped + updated - changed, label: 'left as they were' },
    { tone: 'danger', count: error_count, label: error_count === 1 ? 'invalid row' : 'invalid rows' },
  ].filter(({ count, tone }) => count > 0 || tone === 'danger');
  return (
    <dl class="verdicts">
      {parts.map(({ tone, count, label }) => (
        <div key={label} class={`card ${count === 0 ? '' : tone}`}>
          <dd>{number(count)}</dd>
          <dt class="muted">{label}</dt>
        </div>
      ))}
    </dl>
  );
}

/** Rows in the table; the download has all. */
const MAX_ROWS = 200;

function BadRows({ result }: { result: FileImported }) {
  const { errors, error_count, import_id } = result;
  if (error_count === 0) return null;
  const shown = errors.slice(0, MAX_ROWS);
  return (
    <section class="card">
      <header>
        <h2>Invalid rows</h2>
        <LinkButton size="small" icon="import" href={badRowsUrl(import_id)} download>
          Download {number(error_count)} as CSV
        </LinkButton>
      </header>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Invalid rows">
        <table class="table">
          <thead>
            <tr>
              {['Line', 'Field', 'Error'].map((label) => (
                <th key={label} scope="col" class={label === 'Line' ? 'number' : undefined}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((error, at) => (
              <tr key={at}>
                <td class="number muted">{number(error.line)}</td>
                <td>{FIELD_LABELS[error.column] ?? error.column}</td>
                <td class="break">
                  {rowErrorText(error)}
                  <div class="mono muted">{statementOf(error.message)}</div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error_count > MAX_ROWS && <p class="actions small muted tail">Showing the first {number(MAX_ROWS)}.</p>}
    </section>
  );
}
