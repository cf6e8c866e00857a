import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { runExpectations } from '../../api/checks.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Icon } from '../../ui/icons.tsx';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { testedRules } from './review-text.ts';

interface GateCheckProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  /** the deployment goes live anyway */
  isForced: boolean;
  /** how many were found */
  failed: Signal<number>;
}

/** The expectations of an environment with a gate, run with the rules that the review would publish. */
export function GateCheck(props: GateCheckProps) {
  return props.website.gated_environments.includes(props.environment) ? <Run {...props} /> : null;
}

function Run({ website, environment, reviewed, isForced, failed: count }: GateCheckProps) {
  const { id: websiteId } = website;
  const run = useResource('gate', (signal) =>
    runExpectations(websiteId, { environment, ...rulesOf(reviewed) }, signal),
  );
  const found = run.data.value;
  useReport(count, found?.run.failed);
  if (run.error.value) return <p class="warned">The expectations could not be checked: {run.error.value.message}</p>;
  if (!found) return <p role="status">Checking the expectations…</p>;
  const { passed, failed } = found.run;
  if (failed === 0)
    return (
      <p role="status" class="gate-passed">
        {passed > 0 && <Icon name="check" />}
        {passed === 0 ? 'No expectations.' : `Gate passed: ${counted(passed, 'expectation')} would hold.`}
      </p>
    );
  return (
    <>
      <p class="warned" role="alert">
        {number(failed)} of {counted(passed + failed, 'expectation')} would fail
        {isForced ? '. This is deployed all the same.' : ', so this would not be deployed.'}
      </p>
      <FailureList failures={found.failures} total={failed} tested={testedRules(websiteId, environment, reviewed)} />
    </>
  );
}

/** Reports the number of failures of a check while it is shown. */
export function useReport(failed: Signal<number>, count = 0): void {
  useEffect(() => {
    failed.value = count;
    return () => void (failed.value = 0);
  }, [count]);
}

function rulesOf(reviewed: ReviewedAction) {
  if (reviewed.action === 'deploy') return { against: 'draft' as const };
  if (reviewed.action === 'rollback') return { against: reviewed.version };
  return { against: 'live' as const, against_environment: reviewed.source };
}
