import type { Signal } from '@preact/signals';
import type { RedirectCheck } from '../../../api/client/wire.ts';
import { mayEdit } from '../../../state/session.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { TextField } from '../../../ui/form/field.tsx';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { scheduleOf, useNow } from '../../../ui/text/schedule.ts';
import { type Step, Steps, WrappedPath } from '../../../ui/text/path-text.tsx';
import { directTarget } from '../../../ui/direct-target.ts';
import type { Draft } from './draft.ts';
import { DeadEnd, TakeTarget } from './living-pages.tsx';
import type { DraftState } from './use-draft.ts';
import { environmentsOf } from '../view.ts';

type Trial = NonNullable<RedirectCheck['trial']>;
type Rule = NonNullable<RedirectCheck['now']>;

interface PreviewProps {
  state: DraftState;
  /** the path to test a pattern with */
  tryPath: Signal<string>;
}

/**
 * Tests the draft against the live rules: which redirect serves the source now, and every step to the end. Patterns
 * need a test path from the user. The page of a stored redirect has that field, and says what answers now: there the
 * preview is of changes, and of loops.
 */
export function TrialPreview({ state, tryPath }: PreviewProps) {
  const { draft, check, base } = state;
  if (base.value && !hasNews(state)) return null;
  const isTried = draft.is_regex && tryPath.value.trim() !== '';
  const isShown = check && (draft.is_regex ? isTried : check.trial !== null || check.now !== null);
  if (!draft.is_regex && !isShown) return null;
  const environment = check?.trial?.environment ?? environmentsOf(draft)[0] ?? 'production';
  return (
    <section class="stack gap-3 lead" aria-label="Preview">
      <h3>Preview with the live rules in {ENVIRONMENT_LABEL[environment].toLowerCase()}</h3>
      {draft.is_regex && !base.value && <TryField tryPath={tryPath} state={state} />}
      <div class="stack gap-3" aria-live="polite">
        {isShown && <TrialResult state={state} check={check} />}
        {check && <Loops check={check} />}
      </div>
    </section>
  );
}

const hasNews = ({ isTouched, check }: DraftState): boolean => isTouched || (check?.loops.length ?? 0) > 0;

/** The path to test a pattern with. */
export function TryField({ tryPath, state: { check } }: PreviewProps) {
  const issue = check?.issues.find(({ path }) => path === 'try_path')?.message;
  return (
    // Enter does not submit the form here.
    <div onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()}>
      <TextField
        label="Test path"
        isCode
        placeholder="/blog/2024/hello"
        value={tryPath.value}
        onText={(path) => (tryPath.value = path)}
        error={tryPath.value.trim() === '' || issue === undefined ? undefined : `The path ${issue}`}
      />
    </div>
  );
}

/** The steps that a path would take if the redirect matches it; otherwise why it does not. */
function TrialResult({ state, check }: { state: DraftState; check: RedirectCheck }) {
  const { draft } = state;
  const { trial, now } = check;
  const { phase, text: schedule } = scheduleOf(draft, useNow([draft]));
  const isActive = phase === 'active';
  if (trial?.result === 'fired') {
    const source = { text: sourceOf(draft, trial), note: sourceNote(now, !state.base.value || !isActive) };
    const steps = trial.hops
      .map(stepOf)
      .map((step, at) => (at > 0 ? step : { ...step, note: `${step.note} ${schedule}`.trim() }));
    return (
      <>
        <Steps isLoop={trial.outcome === 'loop'} steps={[source, ...steps]} />
        {now && <CurrentRule rule={now} isPath={!draft.is_regex} />}
        <Journey state={state} check={check} trial={trial} />
        <DeadEnd state={state} trial={trial} />
      </>
    );
  }
  return (
    <>
      {now && !trial && !draft.is_regex && (
        <Steps isLoop={false} steps={[{ text: draft.old_path, note: `now ${now.status_code}` }, stepOf(now)]} />
      )}
      {trial ? <WhyNot trial={trial} isActive={isActive} /> : draft.is_regex && <Incomplete check={check} />}
      {now && trial?.result !== 'beaten' && <CurrentRule rule={now} isPath={false} />}
    </>
  );
}

function sourceOf(draft: Draft, { path, query }: Trial): string {
  if (!draft.is_regex) return draft.old_path;
  return query === null ? path : `${path}?${query}`;
}

/** `isUnserved`: the redirect is new, or outside of its schedule. */
function sourceNote(now: Rule | null, isUnserved: boolean): string {
  if (now) return `now ${now.status_code}`;
  if (!isUnserved) return 'source';
  const { fallback_url: fallback = null } = currentWebsite.value ?? {};
  return fallback === null ? 'now 404' : 'now 302';
}

const stepOf = ({ status_code: status, location }: Pick<Rule, 'status_code' | 'location'>): Step => ({
  text: location ?? (status === 451 ? 'unavailable for legal reasons' : 'gone'),
  note: String(status),
});

const PRECEDENCE = 'Exact paths take precedence over patterns.';

function CurrentRule({ rule, isPath }: { rule: Rule; isPath: boolean }) {
  return (
    <p>
      <code>
        <WrappedPath path={rule.old_path} />
      </code>{' '}
      currently serves this path. {isPath && rule.is_regex ? PRECEDENCE : ''}
    </p>
  );
}

/** Loops, unless the error at the target field names them. */
function Loops({ check }: { check: RedirectCheck }) {
  if (check.issues.some(({ code }) => code === 'REDIRECT_LOOP')) return null;
  return check.loops.map((loop) => (
    <p key={loop.environment} class="bad">
      {loopText(loop)}
    </p>
  ));
}

/** Describes a loop in one line. */
export function loopText({ environment, paths, endless }: RedirectCheck['loops'][number]): string {
  const environmentName = ENVIRONMENT_LABEL[environment].toLowerCase();
  const steps = paths.join(' → ');
  return endless ? `Endless redirects in ${environmentName}: ${steps} → …` : `Loop in ${environmentName}: ${steps}`;
}

/** The number of steps, with a button that replaces them by one. */
export function Journey({ state, check, trial }: { state: DraftState; check: RedirectCheck; trial: Trial }) {
  const { outcome, hops } = trial;
  if (check.loops.length > 0 || hops.length < 2) return null;
  if (outcome === 'loop') return <p class="bad">The target redirects into a loop.</p>;
  if (outcome === 'gone') return <p class="bad">The target itself is gone (410 or 451).</p>;
  if (outcome === 'too-many')
    return <p class="bad">Visitors would be redirected more than {hops.length} times, and browsers stop following.</p>;
  return (
    <p>
      Visitors would be redirected {hops.length} times. <SkipSteps state={state} trial={trial} />
    </p>
  );
}

const ENDLESS: readonly Trial['outcome'][] = ['loop', 'gone', 'too-many'];

/** Makes the end of a chain the target of the form. */
export function SkipSteps({ state, trial: { outcome, hops } }: { state: DraftState; trial: Trial }) {
  if (state.draft.is_regex || !mayEdit.value || ENDLESS.includes(outcome)) return null;
  const direct = directTarget(hops);
  return direct === undefined ? null : <TakeTarget state={state} target={direct} label="Redirect directly to" />;
}

function WhyNot({ trial: { result, winner, location }, isActive }: { trial: Trial; isActive: boolean }) {
  if (!isActive) return <p>It is not active now, because of its schedule.</p>;
  if (result === 'unmatched') return <p>The pattern does not match this path.</p>;
  if (result === 'self') return <p>It would redirect the path to itself, so it is skipped.</p>;
  return (
    <>
      <p>
        {winner && (
          <code>
            <WrappedPath path={winner.old_path} />
          </code>
        )}{' '}
        takes precedence for this path. {winner && !winner.is_regex ? PRECEDENCE : ''}
      </p>
      {location !== null && (
        <p>
          The pattern would redirect to{' '}
          <code>
            <WrappedPath path={location} />
          </code>
        </p>
      )}
    </>
  );
}

function Incomplete({ check }: { check: RedirectCheck }) {
  if (check.issues.some(({ path }) => path === 'try_path')) return null;
  return <p class="muted">Enter a valid pattern and target to see where the path redirects.</p>;
}
