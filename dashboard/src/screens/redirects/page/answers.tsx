import { type Signal, useSignal } from '@preact/signals';
import { ENVIRONMENTS, type Environment } from '../../../../../src/vocabulary/environment.ts';
import type { Redirect, TestedUrl } from '../../../api/client/wire.ts';
import { testUrl } from '../../../api/redirects.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button } from '../../../ui/button.tsx';
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
import { alike, type LiveMark, liveMarks, liveSince, stateWords, windowsOf } from '../live-state.ts';

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
  const isTimed = useSignal(false);
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
      {path === '' ? (
        <ul class="answers">
          <li class="stack gap-1">
            <Names environments={ENVIRONMENTS} marks={marks} />
            <p class="small muted">Enter a test path to see what answers.</p>
          </li>
        </ul>
      ) : (
        <Responses {...{ redirect, path, marks }} at={at.value} />
      )}
      {isTimed.value ? (
        <DateTimeField label="Answers at" value={at.value} onChange={(time) => (at.value = time)} />
      ) : (
        <div>
          <Button kind="quiet" size="small" onClick={() => (isTimed.value = true)}>
            At another time
          </Button>
        </div>
      )}
    </section>
  );
}

interface ResponsesProps {
  redirect: Redirect;
  path: string;
  /** an ISO time; '': now */
  at: string;
  /** their states follow the schedule and deployments, which may change the answers */
  marks: readonly LiveMark[];
}

/** One line for all environments that answer alike. */
function Responses({ redirect, path, at, marks }: ResponsesProps) {
  const { website_id: websiteId, updated_at: updated, live } = redirect;
  const state = JSON.stringify([updated, live, liveSince(redirect), marks.map((mark) => mark.state)]);
  const answers = useResource(
    `answers:${path}:${at}:${state}`,
    (signal) =>
      Promise.all(
        ENVIRONMENTS.map((environment) => {
          const asked = { website_id: websiteId, environment, against: 'live', url: path } as const;
          return testUrl({ ...asked, at: at === '' ? undefined : at }, signal);
        }),
      ),
    { everyMs: at === '' ? POLL_MS : undefined },
  );
  return (
    <div aria-live="polite">
      <Loaded of={answers} lines={2}>
        {(tested) => (
          <ul class="answers">
            {alike(tested).map(({ environments, answer }) => (
              <li key={environments.join()} class="stack gap-1">
                <Names environments={environments} marks={marks} />
                <Response redirect={redirect} answer={answer} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Environments, and since when the redirect is live in each. */
function Names({ environments, marks }: { environments: readonly Environment[]; marks: readonly LiveMark[] }) {
  const names = and.format(environments.map((each, at) => (at === 0 ? ENVIRONMENT_LABEL[each] : each)));
  const own = marks.filter(({ environment }) => environments.includes(environment));
  return (
    <span class="row wrap small">
      <strong>{names}</strong>
      {own.map((mark) => (
        <Mark key={mark.environment} mark={mark} />
      ))}
      {stateWords(environments, marks).map((words) => (
        <span key={words} class="muted">
          {words}
        </span>
      ))}
    </span>
  );
}

/** `301 to /target`, by which redirect if it is another one, and the steps of a chain. */
function Response({ redirect: { id, website_id: websiteId }, answer }: { redirect: Redirect; answer: TestedUrl }) {
  const { match, inactive, hops, location, status_code: status, outcome, path } = answer;
  const isEndless = outcome === 'loop' || outcome === 'too-many';
  const isChain = hops.length > 1 || isEndless;
  return (
    <>
      <p class="break">
        <span class={`badge ${match?.redirect_id === id && !isEndless ? 'ok' : ''}`}>{status}</span>{' '}
        {isEndless && <span class="badge danger">{outcome === 'loop' ? 'Loop' : 'Too many redirects'}</span>}{' '}
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
          isLoop={isEndless}
          steps={[
            { text: path, note: 'source' },
            ...hops.map((hop) => ({ text: hop.location ?? 'no target', note: String(hop.status_code) })),
          ]}
        />
      )}
    </>
  );
}
