import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { runExpectations } from '../../api/checks.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { FailureList } from '../../ui/list/failure-list.tsx';

interface GateCheckProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
}

/** The expectations of an environment with a gate, run with the rules that the review would publish. */
export function GateCheck(props: GateCheckProps) {
  return props.website.gated_environments.includes(props.environment) ? <Run {...props} /> : null;
}

function Run({ website, environment, reviewed }: GateCheckProps) {
  const run = useResource('gate', (signal) =>
    runExpectations(website.id, { environment, ...rulesOf(reviewed) }, signal),
  );
  const found = run.data.value;
  if (run.error.value) return <p class="warned">The expectations could not be checked: {run.error.value.message}</p>;
  if (!found) return <p role="status">Checking the expectations…</p>;
  const { passed, failed } = found.run;
  if (failed === 0)
    return <p role="status">{passed === 0 ? 'No expectations.' : `${counted(passed, 'expectation')} would hold.`}</p>;
  return (
    <>
      <p class="warned" role="alert">
        {number(failed)} of {counted(passed + failed, 'expectation')} would fail, so this would not be deployed.
      </p>
      <FailureList failures={found.failures} total={failed} />
    </>
  );
}

function rulesOf(reviewed: ReviewedAction) {
  if (reviewed.action === 'deploy') return { against: 'draft' as const };
  if (reviewed.action === 'rollback') return { against: reviewed.version };
  return { against: 'live' as const, against_environment: reviewed.source };
}
