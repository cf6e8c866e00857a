import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { putExpectations, runExpectations } from '../../api/checks.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { ExpectationFailure, ExpectationRun, ExpectedResponse, Website } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { mayEdit } from '../../state/session.ts';
import { toastResult } from '../../state/toasts.ts';
import { Icon } from '../../ui/icons.tsx';
import { expectedText, FailureList, isRedirect } from '../../ui/list/failure-list.tsx';
import { gateCheckText, newFailuresText } from './gate-text.ts';
import { testedRules } from './review-text.ts';

interface GateCheckProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  /** the deployment goes live anyway */
  isForced: boolean;
  /** how many were found */
  failed: Signal<number>;
  /** of these, those that the live version does not have */
  fresh: Signal<number>;
}

/** The expectations of the website, run with the rules that the review would publish. Failures stop it with a gate. */
export function GateCheck({ website, environment, reviewed, isForced, failed: count, fresh }: GateCheckProps) {
  const { id: websiteId, gated_environments: gated } = website;
  const isGated = gated.includes(environment);
  const run = useResource('gate', (signal) =>
    runExpectations(websiteId, { environment, ...rulesOf(reviewed) }, signal),
  );
  const found = run.data.value;
  const { isOld, isKnown, text: newText } = useOldFailures(websiteId, environment, found);
  useReport(count, isGated ? found?.run.failed : 0);
  useReport(fresh, isGated ? found?.failures.filter(({ url }) => isOld?.(url) !== true).length : 0);
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
  // Failures that the release does not cause leave the room to its difference. "Show the failures" opens them.
  const isFolded = !isKnown || (isOld !== undefined && found.failures.every(({ url }) => isOld(url)));
  return (
    <details class="failed-gate" open={!isFolded}>
      <summary>
        <span class="warned" role="alert">
          {text}
          {newText}
        </span>{' '}
        <span class="link">Show</span>
      </summary>
      <FailureList
        failures={
          isOld ? found.failures.toSorted((a, b) => Number(isOld(a.url)) - Number(isOld(b.url))) : found.failures
        }
        total={failed}
        tested={testedRules(websiteId, environment, reviewed)}
        isOld={isOld}
        onAccept={mayEdit.value ? (failure) => accept(website.id, environment, failure, run.reload) : undefined}
      />
    </details>
  );
}

/** Makes a response the expected one; with Undo. */
function accept(
  websiteId: number,
  environment: Environment,
  { url, expected, actual }: ExpectationFailure,
  reload: () => void,
): void {
  const { status_code: status, location, final } = actual;
  if (status === null) return;
  // An expectation of any target, or of the last one only, stays so.
  const isAny = expected.location === null && isRedirect(expected.status_code);
  const isLast = expected.final !== null && isRedirect(status);
  const accepted = {
    status_code: status,
    location: isAny || !isRedirect(status) ? null : location,
    final: isLast ? final : null,
  };
  const put = (response: ExpectedResponse) => putExpectations(websiteId, [{ url, environment, ...response }]);
  const work = put(accepted).then(() => {
    reload();
    return () => put(expected);
  });
  const done = `${url} is expected to answer ${expectedText(accepted)}`;
  toastResult(work, { done, failure: 'Could not change the expectation', restore: reload });
}

/** Runs the expectations with the live rules too, to tell failures that the release causes from those before it. */
function useOldFailures(websiteId: number, environment: Environment, found: ExpectationRun | undefined) {
  const failed = found?.run.failed ?? 0;
  const live = useResource(`gate:live:${failed > 0}`, async (signal) =>
    failed > 0 ? runExpectations(websiteId, { environment, against: 'live' }, signal) : undefined,
  );
  const isKnown = live.data.value !== undefined || live.error.value !== undefined;
  return { isKnown, ...oldFailures(found, live.data.value) };
}

/** Tells the failures of the live rules. Without them, all may be new. */
function oldFailures(found: ExpectationRun | undefined, live: ExpectationRun | undefined) {
  const failed = found?.run.failed ?? 0;
  // Beyond the listed failures it is not known which are new.
  if (!found || !live || failed > found.failures.length || live.run.failed > live.failures.length) return { text: '' };
  const urls = new Set(live.failures.map(({ url }) => url));
  const old = found.failures.filter(({ url }) => urls.has(url)).length;
  return { isOld: (url: string) => urls.has(url), text: newFailuresText(failed - old, old) };
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
