import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ENVIRONMENTS, type Environment } from '../../../../../src/vocabulary/environment.ts';
import type { Redirect, TestedUrl } from '../../../api/client/wire.ts';
import { testUrl } from '../../../api/redirects.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button } from '../../../ui/button.tsx';
import { DateTimeField } from '../../../ui/form/date-time-field.tsx';
import { Loaded } from '../../../ui/page/states.tsx';
import { inactiveOf, scheduledText } from '../../../ui/scheduled-redirect.tsx';
import { Steps, TextWithPath, WrappedPath } from '../../../ui/text/path-text.tsx';
import { useNow } from '../../../ui/text/schedule.ts';
import { redirectUrl } from '../../../urls.ts';
import { TryField } from '../edit/trial-preview.tsx';
import type { DraftState } from '../edit/use-draft.ts';
import { Mark } from '../live-in.tsx';
import { alike, type LiveMark, liveMarks, liveSince, namesOf, stateWords, windowsOf } from '../live-state.ts';

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
      <div class="row">
        <h3 id="live-in">Live in</h3>
        {!isTimed.value && (
          <Button kind="quiet" size="small" style={{ marginLeft: 'auto' }} onClick={() => (isTimed.value = true)}>
            At another time
          </Button>
        )}
      </div>
      {isTimed.value && <DateTimeField label="Answers at" value={at.value} onChange={(time) => (at.value = time)} />}
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
                <Names
                  environments={environments}
                  marks={marks}
                  status={<Status redirect={redirect} answer={answer} />}
                />
                <Response redirect={redirect} answer={answer} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

interface NamesProps {
  environments: readonly Environment[];
  marks: readonly LiveMark[];
  status?: ComponentChildren;
}

/** The status, the environments, and since when the redirect is live in each. */
function Names({ environments, marks, status }: NamesProps) {
  const own = marks.filter(({ environment }) => environments.includes(environment));
  return (
    <span class="row wrap small">
      {status}
      <strong>{namesOf(environments)}</strong>
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

const isEndless = ({ outcome }: TestedUrl): boolean => outcome === 'loop' || outcome === 'too-many';

interface ResponseProps {
  redirect: Redirect;
  answer: TestedUrl;
}

function Status({ redirect: { id }, answer }: ResponseProps) {
  return (
    <>
      <span class={`badge ${answer.match?.redirect_id === id && !isEndless(answer) ? 'ok' : ''}`}>
        {answer.status_code}
      </span>
      {isEndless(answer) && (
        <span class="badge danger">{answer.outcome === 'loop' ? 'Loop' : 'Too many redirects'}</span>
      )}
    </>
  );
}

/** The target, by which redirect if it is another one, and the steps of a chain. */
function Response({ redirect: { id, website_id: websiteId }, answer }: ResponseProps) {
  const { match, inactive, hops, location, path } = answer;
  const isChain = hops.length > 1 || isEndless(answer);
  const isOther = match !== null && match.redirect_id !== id;
  return (
    <>
      {(location !== null || isOther || inactive) && (
        <p class="break small">
          {location !== null && !isChain && (
            <span class="mono">
              <WrappedPath path={location} />{' '}
            </span>
          )}
          {isOther && (
            <>
              by{' '}
              <a class="mono" href={redirectUrl(websiteId, match.redirect_id)}>
                <WrappedPath path={match.old_path} />
              </a>{' '}
            </>
          )}
          {!match && location !== null && 'fallback '}
          {inactive && (
            <TextWithPath text={`${scheduledText(inactiveOf(websiteId, inactive))}.`} path={inactive.location} />
          )}
        </p>
      )}
      {isChain && (
        <Steps
          isLoop={isEndless(answer)}
          steps={[
            { text: path, note: 'source' },
            ...hops.map((hop) => ({ text: hop.location ?? 'no target', note: String(hop.status_code) })),
          ]}
        />
      )}
    </>
  );
}
