import { useSignal } from '@preact/signals';
import type { FileImported, Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { UndoChange } from '../../ui/undo-change.tsx';
import { BadRows } from './rows/bad-rows.tsx';
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
