import { useSignal } from '@preact/signals';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { FileImported, Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { query } from '../../router.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { UndoChange } from '../../ui/undo-dialog.tsx';
import { deployStep } from '../../urls.ts';
import { BadRows } from './bad-rows.tsx';
import type { FileImport } from './file-import.ts';
import { ImportDeployments } from './import-deployments.tsx';
import { Remedies } from './rows/remedies.tsx';

/** The result of an import, and what to do next. */
export function Done({ website, work, result }: { website: Website; work: FileImport; result: FileImported }) {
  const hasDeployed = result.deployments.length > 0;
  const isAsking = useSignal(false);
  const isUndone = useSignal(false);
  return (
    <>
      <section class="stack import-check">
        <h2>Import complete {isUndone.value && <span class="badge">Undone</span>}</h2>
        <Outcome result={result} />
        {hasDeployed ? (
          <ImportDeployments website={website} ids={result.deployments} since={work.startedAt.value} />
        ) : (
          <p class="muted">Nothing was deployed. Deploy the redirects when you are ready.</p>
        )}
        <div class="actions">
          <NextSteps website={website} review={isUndone.value ? undefined : reviewOf(website, work, result)} />
          {result.change_id !== null && !isUndone.value && (
            <Button icon="undo" onClick={() => (isAsking.value = true)}>
              Undo import
            </Button>
          )}
          <Button kind="quiet" onClick={work.reset}>
            Import another file
          </Button>
        </div>
        {result.error_count > 0 && !isUndone.value && (
          <div class="actions">
            <Remedies work={work} checked={result} skipped={0} />
          </div>
        )}
      </section>
      <BadRows result={result} checkedId={work.checked.value?.import_id} />
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

/** The review of what the import changed; undefined if nothing waits for a deployment. */
function reviewOf(website: Website, { options }: FileImport, result: FileImported): string | undefined {
  if (result.imported + result.changed === 0) return undefined;
  const chosen = options.value.target_environments ?? 'production';
  const environment = ENVIRONMENTS.find((each) => chosen.split(',').includes(each));
  return environment && deployStep(website, environment)?.href;
}

/** `review`: URL of the review before a deployment, which is then the first step. */
function NextSteps({ website, review }: { website: Website; review: string | undefined }) {
  const isOfFirstSteps = query.value.has('first-steps');
  const kind = review === undefined && !isOfFirstSteps ? 'primary' : undefined;
  return (
    <>
      {review !== undefined && (
        <LinkButton kind="primary" href={review}>
          Review and deploy
        </LinkButton>
      )}
      {isOfFirstSteps && (
        <LinkButton {...(review === undefined && { kind: 'primary' })} href={`/websites/${website.id}`}>
          Back to first steps
        </LinkButton>
      )}
      <LinkButton {...(kind && { kind })} href={`/websites/${website.id}/redirects`}>
        View redirects
      </LinkButton>
      {review === undefined && <LinkButton href={`/websites/${website.id}/deployments`}>View deployments</LinkButton>}
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
