import './deployments.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff, type ReviewedAction } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/client/wire.ts';
import { go, query } from '../../router.ts';
import { environmentStates } from '../../state/environments.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource, useOnChange } from '../../state/resource/use-resource.ts';
import { Page } from '../../ui/page/page.tsx';
import { Problem, Skeleton } from '../../ui/page/states.tsx';
import { environmentIn, reviewedIn, reviewUrl } from '../../urls.ts';
import type { Kind } from './compare-view.ts';
import { discardOne } from './discard.tsx';
import { Difference, type DiffRequest } from './difference.tsx';
import { PublicationCard } from './publication-card.tsx';
import { PublishForm } from './publish-form.tsx';
import { type Failed, ReviewChecks } from './review-checks.tsx';
import { liveTitle, reviewText, startKind } from './review-text.ts';
import { type Publication, type Publish, usePublish } from './use-publish.ts';

/** The whole difference that a deployment, promotion or rollback would publish; then its progress, and Undo. */
export function ReviewScreen({ website }: { website: Website }) {
  const environment = environmentIn(query.value);
  const reviewed = reviewedIn(query.value);
  const isForced = query.value.get('force') === 'true';
  const { title, lead } = reviewText(environment, reviewed, { isForced, isAutomatic: website.auto_deploy });
  const result = useSignal<string | undefined>(undefined);
  const note = useSignal('');
  return (
    <Page title={result.value ?? title} lead={result.value === undefined ? lead : undefined}>
      <Review
        key={JSON.stringify([environment, reviewed, isForced])}
        {...{ website, environment, reviewed, isForced, result, note }}
      />
    </Page>
  );
}

interface ReviewProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  isForced: boolean;
  /** the title when a version is live */
  result: Signal<string | undefined>;
  /** stays when the deployment is forced */
  note: Signal<string>;
}

function Review(props: ReviewProps) {
  const { website, environment, reviewed, result, note } = props;
  const failed = { expectations: useSignal(0), fresh: useSignal(0), urls: useSignal(0) };
  const isForced = props.isForced || isNoWorse(props, failed);
  const request = previewOf(website.id, environment, reviewed);
  const publishing = usePublish();
  const published = publishing.publication.value;
  useEffect(() => {
    result.value = published && liveTitle(published);
  }, [published]);
  const preview = useResource('preview', (signal) => fetchDiff(request, signal));
  const diff = preview.data.value;
  const loads = useRef({ diff, count: 0 });
  const start = useRef<Kind>(undefined);
  if (loads.current.diff !== diff) loads.current = { diff, count: loads.current.count + 1 };
  // Changes of any user wait, or another version is live.
  const state = environmentStates.value.find((each) => each.environment === environment);
  useOnChange(
    state && `${state.live_version} ${state.waiting_changes}`,
    () => !publishing.publication.peek() && preview.reload(),
  );
  if (published) {
    const shown = { publishing, published, request, diff, reviewed, start: start.current };
    return <Published key={published.deployment.id} {...shown} />;
  }
  if (!diff) {
    const error = preview.error.value;
    return error ? <Problem error={error} onRetry={preview.reload} /> : <Skeleton lines={8} />;
  }
  const live = state?.redirect_count;
  start.current = startKind(diff.counts, live);
  return (
    <>
      <ReviewChecks {...{ website, environment, reviewed, isForced, diff, failed }} />
      <Difference
        key={loads.current.count}
        request={request}
        first={diff}
        start={start.current}
        onDiscard={state?.live_version ? discardOf(props) : undefined}
      />
      {mayEdit.value && (
        <PublishForm
          {...{ website, environment, reviewed, isForced, diff, note }}
          failures={failed.expectations.value + failed.urls.value}
          live={live}
          hasChanged={loads.current.count > 1}
          publish={publishing}
          onStale={preview.reload}
        />
      )}
    </>
  );
}

interface PublishedProps {
  publishing: Publish;
  published: Publication;
  /** the difference before */
  request: DiffRequest;
  diff: Diff | undefined;
  start: Kind | undefined;
  reviewed: ReviewedAction;
}

/** The deployment that the review started, and what it changed. */
function Published({ publishing, published, request, diff, start, reviewed }: PublishedProps) {
  const { website_id: websiteId, environment, status, version: number } = published.deployment;
  const version = status === 'completed' ? number : null;
  const shown = version === null ? request : versionOf(websiteId, environment, version);
  const onForce = (): void => {
    publishing.publication.value = undefined;
    go(reviewUrl(websiteId, environment, reviewed, { force: true }));
  };
  return (
    <>
      <PublicationCard publish={publishing} shown={published} onForce={onForce} />
      <Difference request={shown} first={version === null ? diff : undefined} start={start} />
    </>
  );
}

/** A change that a deployment would publish can be taken back before. */
const discardOf = ({ website: { id: websiteId }, environment, reviewed }: ReviewProps) =>
  mayEdit.value && reviewed.action === 'deploy'
    ? (id: number) => void discardOne({ websiteId, environment }, id)
    : undefined;

/**
 * True for a rollback that adds no failed expectation: it is forced without a second review. With a gate of URLs, which
 * force skips too, the second review stays.
 */
const isNoWorse = ({ website, environment, reviewed }: ReviewProps, { expectations, fresh }: Failed): boolean =>
  reviewed.action === 'rollback' &&
  expectations.value > 0 &&
  fresh.value === 0 &&
  !website.url_gate.includes(environment);

function previewOf(websiteId: number, environment: Environment, reviewed: ReviewedAction): DiffRequest {
  const request = { website_id: websiteId, environment };
  if (reviewed.action === 'deploy') return request;
  const source =
    reviewed.action === 'promote'
      ? { to: 'live', to_environment: reviewed.source }
      : { to: String(reviewed.version), to_environment: environment };
  return { ...request, ...source, as_published: true };
}

/** The difference that a version published. */
function versionOf(websiteId: number, environment: Environment, version: number): DiffRequest {
  const from = version > 1 ? String(version - 1) : 'none';
  return { website_id: websiteId, environment, from, to: String(version) };
}
