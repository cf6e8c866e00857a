import './deployments.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff, publish, type ReviewedAction } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { go, query } from '../../router.ts';
import { environmentStates } from '../../state/environments.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource, useOnChange } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Check, TextField } from '../../ui/form/field.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Problem, Skeleton } from '../../ui/page/states.tsx';
import { environmentIn, reviewedIn, reviewUrl } from '../../urls.ts';
import { Changes, totalOf } from './diff-lines.tsx';
import { Difference, type DiffRequest } from './difference.tsx';
import { GateCheck } from './gate-check.tsx';
import { PublicationCard } from './publication-card.tsx';
import { removalQuestion, removalsIn, reviewText, undoneTitle } from './review-text.ts';
import { UrlCheck } from './url-check.tsx';
import { type Publish, usePublish } from './use-publish.ts';

/** The whole difference that a deployment, promotion or rollback would publish; then its progress, and Undo. */
export function ReviewScreen({ website }: { website: Website }) {
  const environment = environmentIn(query.value);
  const reviewed = reviewedIn(query.value);
  const isForced = query.value.get('force') === 'true';
  const { title, lead } = reviewText(environment, reviewed, isForced);
  const undone = useSignal<string | undefined>(undefined);
  return (
    <Page
      title={undone.value ?? title}
      lead={undone.value === undefined ? lead : undefined}
      actions={
        <LinkButton href={`/websites/${website.id}/deployments?environment=${environment}`}>Deployments</LinkButton>
      }
    >
      <Review
        key={JSON.stringify([environment, reviewed, isForced])}
        {...{ website, environment, reviewed, isForced, undone }}
      />
    </Page>
  );
}

interface ReviewProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  isForced: boolean;
  /** the title after an undo */
  undone: Signal<string | undefined>;
}

function Review(props: ReviewProps) {
  const { website, environment, reviewed, undone } = props;
  const request = previewOf(website.id, environment, reviewed);
  const publishing = usePublish();
  const published = publishing.publication.value;
  useEffect(() => {
    undone.value = published && undoneTitle(published);
  }, [published]);
  const preview = useResource('preview', (signal) => fetchDiff(request, signal));
  const diff = preview.data.value;
  const loads = useRef({ diff, count: 0 });
  if (loads.current.diff !== diff) loads.current = { diff, count: loads.current.count + 1 };
  // Changes of any user wait, or another version is live.
  const state = environmentStates.value.find((each) => each.environment === environment);
  useOnChange(
    state && `${state.live_version} ${state.waiting_changes}`,
    () => !publishing.publication.peek() && preview.reload(),
  );
  if (published) {
    const { deployment } = published;
    const version = deployment.status === 'completed' ? deployment.version : null;
    const shown = version === null ? request : versionOf(website.id, environment, version);
    const onForce = (): void => {
      publishing.publication.value = undefined;
      go(reviewUrl(website.id, environment, reviewed, { force: true }));
    };
    return (
      <>
        <PublicationCard key={deployment.id} publish={publishing} shown={published} onForce={onForce} />
        <Difference request={shown} first={version === null ? diff : undefined} />
      </>
    );
  }
  if (!diff) {
    const error = preview.error.value;
    return error ? <Problem error={error} onRetry={preview.reload} /> : <Skeleton lines={8} />;
  }
  return (
    <>
      {mayEdit.value && (
        <PublishForm
          {...props}
          counts={diff.counts}
          liveOnly={diff.live_only}
          live={state?.redirect_count}
          hasChanged={loads.current.count > 1}
          publish={publishing}
          onStale={preview.reload}
        />
      )}
      <Difference key={loads.current.count} request={request} first={diff} />
    </>
  );
}

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

interface PublishFormProps extends ReviewProps {
  counts: Diff['counts'];
  liveOnly: number;
  /** the number of live redirects */
  live: number | undefined;
  /** the difference is another one than at first */
  hasChanged: boolean;
  publish: Publish;
  onStale: () => void;
}

function PublishForm(props: PublishFormProps) {
  const { website, environment, reviewed, isForced, counts, liveOnly, live, hasChanged, onStale } = props;
  const { error: failure, isBusy, run } = props.publish;
  const note = useSignal('');
  const isAccepted = useSignal(false);
  const isResumed = useSignal(false);
  const isHeld = reviewed.action === 'deploy' && website.held_environments.includes(environment);
  const question = removalQuestion(counts.removed, liveOnly, live);
  const total = totalOf(counts);
  const { verb } = reviewText(environment, reviewed, isForced);
  const error = failure.value;
  const stale = error && removalsIn(error);
  async function send(): Promise<void> {
    const target = { website_id: website.id, environment, max_removals: counts.removed };
    await run(() =>
      publish(reviewed, { ...target, note: note.value || undefined, force: isForced || undefined, resume: isHeld }),
    );
    if (failure.value && removalsIn(failure.value)) {
      isAccepted.value = false;
      onStale();
    }
  }
  return (
    <form
      class="card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="body fields">
        {total === 0 ? <p class="muted">Nothing changes for visitors.</p> : <Changes {...counts} />}
        <GateCheck key={JSON.stringify(counts)} {...{ website, environment, reviewed }} />
        <UrlCheck key={`urls ${JSON.stringify(counts)}`} {...{ website, environment, reviewed }} />
        <Refreshed stale={stale} hasChanged={hasChanged} />
        {error && !stale && error.issueOf('note') === undefined && <Problem error={error} />}
        <TextField
          label="Note"
          hint="Optional, at most 500 characters. The history shows it."
          error={error?.issueOf('note')}
          value={note.value}
          onText={(value) => (note.value = value)}
          autofocus
        />
        <Consents {...{ environment, question, isAccepted }} isResumed={isHeld ? isResumed : undefined} />
        <div class="actions">
          <Button
            kind={isForced || question !== undefined ? 'danger' : 'primary'}
            type="submit"
            disabled={isBusy.value || (question !== undefined && !isAccepted.value) || (isHeld && !isResumed.value)}
          >
            {verb} {total > 0 && !isForced && counted(total, 'change')}
          </Button>
        </div>
      </div>
    </form>
  );
}

interface ConsentsProps {
  environment: Environment;
  /** about the redirects that would be removed */
  question: string | undefined;
  isAccepted: Signal<boolean>;
  /** of a held environment */
  isResumed: Signal<boolean> | undefined;
}

function Consents({ environment, question, isAccepted, isResumed }: ConsentsProps) {
  return (
    <>
      {isResumed && (
        <Check
          label={`Resume automatic deployments to ${environment}, which a rollback or promotion has stopped`}
          checked={isResumed.value}
          onCheck={(next) => (isResumed.value = next)}
        />
      )}
      {question !== undefined && (
        <Check label={question} checked={isAccepted.value} onCheck={(next) => (isAccepted.value = next)} />
      )}
    </>
  );
}

/** Why the difference below is another one than at first. */
function Refreshed({ stale, hasChanged }: { stale: ReturnType<typeof removalsIn>; hasChanged: boolean }) {
  if (stale) {
    return (
      <p class="warned" role="alert">
        Not deployed: redirects were deleted since this page was loaded, and {number(stale.removed)} of{' '}
        {number(stale.total)} live redirects would be removed. The list below is up to date.
      </p>
    );
  }
  return (
    <p class="warned" role="status" hidden={!hasChanged}>
      {hasChanged && 'The difference has changed since you opened this page. Check it again.'}
    </p>
  );
}
