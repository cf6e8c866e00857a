import { type Signal, useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { publish, type ReviewedAction } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Check, submitOnCtrlEnter, TextField } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { totalOf } from './diff-lines.tsx';
import { reviewUrl } from '../../urls.ts';
import { notMeantOf, removalQuestion, removalsIn, reviewText } from './review-text.ts';
import type { Publish } from './use-publish.ts';

interface PublishFormProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  isForced: boolean;
  diff: Pick<Diff, 'counts' | 'live_only' | 'not_targeted'>;
  note: Signal<string>;
  /** expectations and URLs that would prevent it */
  failures: number;
  /** the number of live redirects */
  live: number | undefined;
  /** the difference is another one than at first */
  hasChanged: boolean;
  publish: Publish;
  onStale: () => void;
}

/** Stays in view below the difference: the note, what has to be confirmed, and the press itself. */
export function PublishForm(props: PublishFormProps) {
  const { website, environment, reviewed, isForced, diff, note, failures, live, hasChanged, onStale } = props;
  const { counts, live_only: liveOnly, not_targeted: notTargeted } = diff;
  const { error: failure, isBusy, run } = props.publish;
  const isAccepted = useSignal(false);
  const isResumed = useSignal(false);
  const isHeld = reviewed.action === 'deploy' && website.held_environments.includes(environment);
  // Without automatic deployments there is nothing to resume.
  const isResumeAsked = isHeld && website.auto_deploy;
  const notMeant = notMeantOf(environment, reviewed, notTargeted);
  const question = removalQuestion({ removed: counts.removed, liveOnly, notMeant, live });
  const { verb } = reviewText(environment, reviewed, { isForced, isAutomatic: website.auto_deploy });
  const error = failure.value;
  const stale = error && removalsIn(error);
  const isBlocked = failures > 0 && !isForced;
  const isReady = !isBusy.value && (question === undefined || isAccepted.value) && (!isResumeAsked || isResumed.value);
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
      class="release-bar stack gap-3"
      noValidate
      aria-label={verb}
      onSubmit={(event) => {
        event.preventDefault();
        if (isBlocked) showFailures();
        else if (isReady) void send();
      }}
      onKeyDown={submitOnCtrlEnter}
    >
      <Refreshed stale={stale} hasChanged={hasChanged} />
      {isHeld && !isResumeAsked && (
        <p class="warned">A rollback or promotion has published the live version. This deployment replaces it.</p>
      )}
      {error && !stale && error.issueOf('note') === undefined && <Problem error={error} />}
      {!isBlocked && (
        <Consents {...{ environment, question, isAccepted }} isResumed={isResumeAsked ? isResumed : undefined} />
      )}
      <div class="row wrap">
        <TextField
          label="Note"
          placeholder="Optional, for the history"
          error={error?.issueOf('note')}
          value={note.value}
          onText={(value) => (note.value = value)}
          autofocus
        />
        <Actions {...props} isBlocked={isBlocked} isDangerous={isForced || question !== undefined} isReady={isReady} />
      </div>
    </form>
  );
}

interface ActionsProps extends PublishFormProps {
  isBlocked: boolean;
  isDangerous: boolean;
  isReady: boolean;
}

/** The press itself; with failures that prevent it, first the way to them. */
function Actions({ website, environment, reviewed, isForced, diff, failures, ...state }: ActionsProps) {
  const { verb } = reviewText(environment, reviewed, { isForced, isAutomatic: website.auto_deploy });
  const total = totalOf(diff.counts);
  const showText = failures === 1 ? 'Show the failure' : `Show the ${number(failures)} failures`;
  return (
    <div class="actions">
      <LinkButton href={`/websites/${website.id}/deployments?environment=${environment}`}>Cancel</LinkButton>
      {state.isBlocked ? (
        <>
          <LinkButton href={reviewUrl(website.id, environment, reviewed, { force: true })}>{verb} anyway</LinkButton>
          <Button kind="primary" type="submit">
            {showText}
          </Button>
        </>
      ) : (
        <>
          {failures > 0 && <Button onClick={showFailures}>{showText}</Button>}
          <Button kind={state.isDangerous ? 'danger' : 'primary'} type="submit" disabled={!state.isReady}>
            {verb} {total > 0 && !isForced && counted(total, 'change')}
          </Button>
        </>
      )}
    </div>
  );
}

/** Focuses the first failure, which links to the tester. A browser shows no ring after a click elsewhere. */
function showFailures(): void {
  const list = document.querySelector<HTMLElement>('.failure-list');
  list?.closest('details')?.setAttribute('open', '');
  list?.scrollIntoView({ block: 'center' });
  const first = list?.querySelector('a');
  if (!list || !first) return;
  list.dataset['pointed'] = '';
  first.focus({ preventScroll: true });
  first.addEventListener('blur', () => delete list.dataset['pointed'], { once: true });
}

interface ConsentsProps {
  environment: Environment;
  /** about the redirects that would be removed */
  question: string | undefined;
  isAccepted: Signal<boolean>;
  /** of a held environment of a website with automatic deployments */
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
