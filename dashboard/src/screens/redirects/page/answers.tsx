import { type Signal, useSignal } from '@preact/signals';
import { ENVIRONMENTS, type Environment } from '../../../../../src/vocabulary/environment.ts';
import type { Redirect, TestedUrl } from '../../../api/client/wire.ts';
import { testUrl } from '../../../api/redirects.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { DateTimeField } from '../../../ui/form/date-time-field.tsx';
import { Loaded } from '../../../ui/page/states.tsx';
import { inactiveOf, scheduledText } from '../../../ui/scheduled-redirect.tsx';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { Steps, TextWithPath, WrappedPath } from '../../../ui/text/path-text.tsx';
import { useNow } from '../../../ui/text/schedule.ts';
import { redirectUrl } from '../../../urls.ts';
import { TryField } from '../edit/trial-preview.tsx';
import type { DraftState } from '../edit/use-draft.ts';
import { Mark } from '../live-in.tsx';
import { liveMarks, liveSince, windowsOf } from '../live-state.ts';

/** Interval at which answers follow the deployments of other redirects. */
const POLL_MS = 10_000;

interface AnswersProps {
  redirect: Redirect;
  state: DraftState;
  /** the path to test a pattern with */
  tryPath: Signal<string>;
}

/** The answers of the live rules to the source in each environment, now or at a chosen time. */
export function Answers({ redirect, state, tryPath }: AnswersProps) {
  const at = useSignal('');
  const path = redirect.is_regex ? tryPath.value.trim() : redirect.old_path;
  const now = useNow(windowsOf(redirect));
  const marks = liveMarks(redirect, currentWebsite.value?.held_environments ?? [], now);
  return (
    // Enter does not submit the form here.
    <section
      class="stack gap-3"
      aria-labelledby="live-in"
      onKeyDown={(event) => event.key === 'Enter' && event.target instanceof HTMLInputElement && event.preventDefault()}
    >
      <h3 id="live-in">Live in</h3>
      {redirect.is_regex && <TryField tryPath={tryPath} state={state} />}
      <ul class="answers" aria-live="polite">
        {ENVIRONMENTS.map((environment) => {
          const mark = marks.find((each) => each.environment === environment);
          return (
            <li key={environment} class="stack gap-1">
              <span class="row wrap small">
                <strong>{ENVIRONMENT_LABEL[environment]}</strong>
                {mark && <Mark mark={mark} />}
                <span class="muted">{mark ? mark.words : 'not in this environment'}</span>
              </span>
              {path === '' ? (
                <p class="small muted">Enter a test path to see what answers.</p>
              ) : (
                <Answer {...{ redirect, environment, path, at: at.value }} phase={mark?.state} />
              )}
            </li>
          );
        })}
      </ul>
      <DateTimeField label="Answers at" value={at.value} onChange={(time) => (at.value = time)} />
    </section>
  );
}

interface AnswerProps {
  redirect: Redirect;
  environment: Environment;
  path: string;
  /** an ISO time; '': now */
  at: string;
  /** of the schedule and of deployments: another one may change the answer */
  phase: string | undefined;
}

function Answer({ redirect, environment, path, at, phase }: AnswerProps) {
  const { website_id: websiteId, updated_at: updated, live } = redirect;
  const state = JSON.stringify([updated, live, liveSince(redirect), phase]);
  const answer = useResource(
    `answer:${environment}:${path}:${at}:${state}`,
    (signal) => {
      const asked = { website_id: websiteId, environment, against: 'live', url: path } as const;
      return testUrl({ ...asked, at: at === '' ? undefined : at }, signal);
    },
    { everyMs: at === '' ? POLL_MS : undefined },
  );
  return (
    <Loaded of={answer} lines={1}>
      {(tested) => <Response redirect={redirect} answer={tested} />}
    </Loaded>
  );
}

/** `301 to /target`, by which redirect if it is another one, and the steps of a chain. */
function Response({ redirect: { id, website_id: websiteId }, answer }: { redirect: Redirect; answer: TestedUrl }) {
  const { match, inactive, hops, location, status_code: status, outcome, path } = answer;
  const isChain = hops.length > 1 || outcome === 'loop';
  return (
    <>
      <p class="break">
        <span class={`badge ${match?.redirect_id === id ? 'ok' : ''}`}>{status}</span>{' '}
        {location !== null && !isChain && (
          <span class="mono">
            <WrappedPath path={location} />
          </span>
        )}
        {match && match.redirect_id !== id && (
          <>
            {' '}
            by{' '}
            <a class="mono" href={redirectUrl(websiteId, match.redirect_id)}>
              <WrappedPath path={match.old_path} />
            </a>
          </>
        )}
        {!match && (answer.version === 0 ? ' Nothing is deployed.' : location !== null && ' fallback')}
        {inactive && (
          <span class="small">
            {' '}
            <TextWithPath text={`${scheduledText(inactiveOf(websiteId, inactive))}.`} path={inactive.location} />
          </span>
        )}
      </p>
      {isChain && (
        <Steps
          isLoop={outcome === 'loop' || outcome === 'too-many'}
          steps={[
            { text: path, note: 'source' },
            ...hops.map((hop) => ({ text: hop.location ?? 'no target', note: String(hop.status_code) })),
          ]}
        />
      )}
    </>
  );
}
