import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { checkUrls } from '../../api/urls.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { newlyHidden, newlyLost } from './new-losses.ts';

interface CheckProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
}

/** The URLs that the review would newly lose or hide, for an environment whose gate checks URLs. */
export function UrlCheck(props: CheckProps) {
  return props.website.url_gate.includes(props.environment) ? <Run {...props} /> : null;
}

function Run({ website, environment, reviewed }: CheckProps) {
  // The service checks versions of this environment only; a promotion is checked when it is published.
  const against =
    reviewed.action === 'rollback' ? reviewed.version : reviewed.action === 'deploy' ? 'draft' : undefined;
  const run = useResource('urls', (signal) => {
    const check = (version: 'live' | 'draft' | number) =>
      checkUrls(website.id, { environment, against: version }, signal);
    return Promise.all([check('live'), against === undefined ? undefined : check(against)]);
  });
  if (run.error.value) return <p class="warned">The URLs could not be checked: {run.error.value.message}</p>;
  if (!run.data.value) return <p role="status">Checking the URLs…</p>;
  const [live, next] = run.data.value;
  if (!next) return <p role="status">The URLs are checked when you promote.</p>;
  const lost = newlyLost(live, next);
  const hidden = newlyHidden(live, next);
  if (lost.urls.length + hidden.urls.length === 0)
    return (
      <p role="status">
        {lost.isComplete && hidden.isComplete
          ? `${counted(next.check.urls, 'URL')}: none would be newly lost or hidden.`
          : 'None of the heaviest URLs would be newly lost or hidden.'}
      </p>
    );
  return (
    <>
      <p class="warned" role="alert">
        {[textOf(lost, 'lost'), textOf(hidden, 'hidden by a redirect')].filter(Boolean).join(' and ')}, so this would
        not be deployed.
      </p>
      <ul class="row-list failure-list" aria-label="URLs newly lost or hidden" tabIndex={0}>
        {[...lost.urls, ...hidden.urls].slice(0, MAX_LINES).map((url) => (
          <li key={url} class="mono break">
            <WrappedPath path={url} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Rendered lines. */
const MAX_LINES = 200;

function textOf({ urls, isComplete }: ReturnType<typeof newlyLost>, what: string): string {
  if (urls.length === 0) return '';
  return `${isComplete ? '' : 'at least '}${counted(urls.length, 'URL')} would be newly ${what}`;
}
