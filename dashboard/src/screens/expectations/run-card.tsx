import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { runExpectations } from '../../api/checks.ts';
import { listDeployments } from '../../api/deployments.ts';
import type { ExpectationRun, Website } from '../../api/client/wire.ts';
import { counted, duration, number } from '../../format.ts';
import { query } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { environmentIn } from '../../urls.ts';

const VERSIONS = 20;

/** Runs the expectations of an environment, and shows which do not hold. `onRun`: the list has new results. */
export function RunCard({ website, onRun }: { website: Website; onRun: () => void }) {
  const environment = environmentIn(query.value);
  const versions = useResource(`versions:${website.id}:${environment}`, (signal) =>
    listDeployments({ website_id: website.id, environment, limit: VERSIONS }, signal),
  );
  const published = (versions.data.value?.deployments ?? []).flatMap(({ status, version }) =>
    status === 'completed' && version !== null ? [version] : [],
  );
  const named = Number(query.value.get('against'));
  const against = published.includes(named) ? named : query.value.get('against') === 'draft' ? 'draft' : 'live';
  // A result is of one question: another environment or version has none yet.
  const question = `${environment}:${against}`;
  const answer = useSignal<{ question: string; result: ExpectationRun } | undefined>(undefined);
  const { error, isBusy, submit } = useSubmit(async () => {
    answer.value = { question, result: await runExpectations(website.id, { environment, against }) };
    if (against === 'live') onRun();
  });
  useKeys([{ keys: 'r', label: 'Run the expectations', run: () => submit(new Event('submit')) }]);
  const result = answer.value?.question === question ? answer.value.result : undefined;
  return (
    <section class="card stack gap-3 run-card" aria-label="Run">
      <form class="filter-bar" onSubmit={submit}>
        <QuerySelect
          label="Run against"
          name="against"
          value={String(against)}
          options={[
            ['live', 'Live version'],
            ['draft', 'Changes not deployed yet'],
            ...published.map((version) => [String(version), `Version ${version}`] as const),
          ]}
        />
        <Button type="submit" kind="primary" icon="check" keys="R" isBusy={isBusy.value}>
          Run
        </Button>
      </form>
      <div class="stack gap-3" aria-live="polite">
        {error.value && <Problem error={error.value} />}
        {result && !error.value && <Result {...{ result, environment, against, websiteId: website.id }} />}
      </div>
    </section>
  );
}

interface ResultProps {
  websiteId: number;
  environment: Environment;
  against: 'live' | 'draft' | number;
  result: ExpectationRun;
}

/** The failures of the live version are in the list of expectations, which shows them first. */
function Result({ websiteId, environment, against, result: { run, failures } }: ResultProps) {
  if (run.passed + run.failed === 0) return <p class="muted">No expectations for {environment}.</p>;
  const rules = against === 'draft' ? against : undefined;
  return (
    <>
      <p>
        <span class={run.failed === 0 ? 'badge ok' : 'badge danger'}>
          <Icon name={run.failed === 0 ? 'check' : 'warning'} size={13} />
          {run.failed === 0 ? 'Passed' : `${number(run.failed)} failed`}
        </span>{' '}
        {run.failed === 0
          ? counted(run.passed, 'expectation holds', 'expectations hold')
          : `${number(run.passed)} hold`}{' '}
        <span class="muted small">
          in {duration(run.duration_ms)}
          {run.failed > 0 && against === 'live' && '. The list below has them first.'}
        </span>
      </p>
      {failures.length > 0 && against !== 'live' && (
        <FailureList failures={failures} total={run.failed} tested={{ websiteId, environment, rules }} />
      )}
    </>
  );
}
