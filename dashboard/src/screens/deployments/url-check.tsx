import type { Signal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { checkUrls } from '../../api/urls.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { useReport } from './gate-check.tsx';
import { newLosses } from './new-losses.ts';
import { testedRules } from './review-text.ts';

interface CheckProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  /** the deployment goes live anyway */
  isForced: boolean;
  /** how many were found */
  failed: Signal<number>;
}

/** The URLs that the review would newly lose or hide, for an environment whose gate checks URLs. */
export function UrlCheck(props: CheckProps) {
  const { website, environment, reviewed } = props;
  if (!website.url_gate.includes(environment)) return null;
  // A check takes the rules of this environment only.
  if (reviewed.action === 'promote') return <p>The URLs are checked when you promote.</p>;
  return <Run {...props} against={reviewed.action === 'rollback' ? reviewed.version : 'draft'} />;
}

function Run({
  website,
  environment,
  reviewed,
  isForced,
  failed,
  against,
}: CheckProps & { against: 'draft' | number }) {
  const run = useResource('urls', async (signal) => {
    const live = await checkUrls(website.id, { environment, against: 'live' }, signal);
    return newLosses(live, await checkUrls(website.id, { environment, against }, signal));
  });
  useReport(failed, run.data.value?.failures.length);
  if (run.error.value) return <p class="warned">The URLs could not be checked: {run.error.value.message}</p>;
  if (!run.data.value) return <p role="status">Checking the URLs…</p>;
  const { failures, isComplete } = run.data.value;
  const count = `${isComplete ? '' : 'At least '}${counted(failures.length, 'URL')}`;
  if (failures.length === 0)
    return <p role="status">{isComplete ? 'No URL' : 'None of the heaviest URLs'} would be newly lost or hidden.</p>;
  return (
    <>
      <p class="warned" role="alert">
        {count} would be newly lost or hidden
        {isForced ? '. This is deployed all the same.' : ', so this would not be deployed.'}
      </p>
      <FailureList
        failures={failures}
        total={failures.length}
        tested={testedRules(website.id, environment, reviewed)}
      />
    </>
  );
}
