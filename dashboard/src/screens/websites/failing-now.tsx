import { runExpectations } from '../../api/checks.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { currentWebsite } from '../../state/websites.ts';

/** Says that the live version of a gated environment fails expectations, because every deployment then fails too. */
export function FailingNow({ environment }: { environment: Environment }) {
  const id = currentWebsite.value?.id ?? 0;
  const run = useResource(`failing-now:${id}:${environment}`, (signal) =>
    runExpectations(id, { environment, against: 'live' }, signal),
  );
  const { passed = 0, failed = 0 } = run.data.value?.run ?? {};
  if (failed === 0) return null;
  return (
    <p class="small warned" role="status">
      {number(failed)} of {counted(passed + failed, 'expectation')} of {environment} {failed === 1 ? 'fails' : 'fail'}{' '}
      now. Deployments fail until {failed === 1 ? 'it holds' : 'they hold'}.{' '}
      <a href={`/websites/${id}/expectations`}>Show</a>
    </p>
  );
}
