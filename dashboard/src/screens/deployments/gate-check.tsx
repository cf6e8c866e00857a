import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { runExpectations } from '../../api/checks.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Icon } from '../../ui/icons.tsx';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { gateCheckText } from './gate-text.ts';
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

/** The expectations of the website, run with the rules that the review would publish. Failures stop it with a gate. */
export function GateCheck({ website, environment, reviewed, isForced, failed: count }: GateCheckProps) {
  const { id: websiteId, gated_environments: gated } = website;
  const isGated = gated.includes(environment);
  const run = useResource('gate', (signal) =>
    runExpectations(websiteId, { environment, ...rulesOf(reviewed) }, signal),
  );
  const found = run.data.value;
  useReport(count, isGated ? found?.run.failed : 0);
  if (run.error.value) return <p class="warned">The expectations could not be checked: {run.error.value.message}</p>;
  // Without a gate, most websites have none to wait for.
  if (!found) return isGated ? <p role="status">Checking the expectations…</p> : null;
  const { passed, failed } = found.run;
  if (passed + failed === 0 && !isGated) return null;
  const text = gateCheckText({ passed, failed, isGated, isForced });
  if (failed === 0)
    return (
      <p role="status" class="gate-passed">
        {passed > 0 && <Icon name="check" />}
        {text}
      </p>
    );
  return (
    <>
      <p class="warned" role="alert">
        {text}
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
