import './live-in.css';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Redirect } from '../../api/client/wire.ts';
import { currentWebsite } from '../../state/websites.ts';
import { ENVIRONMENT_LABEL, ENVIRONMENT_TONE } from '../../ui/text/environment.tsx';
import { scheduleOf, useNow } from '../../ui/text/schedule.ts';
import { type LiveMark, liveMarks, liveRuleOf, type LiveState, windowsOf } from './live-state.ts';

/**
 * The column "Live in": each environment has its place, with a mark if the redirect has it or is live there. With
 * `hasSchedule`, also when it begins or ends.
 */
export function LiveIn({ redirect, hasSchedule }: { redirect: Redirect; hasSchedule: boolean }) {
  const now = useNow(windowsOf(redirect));
  const marks = liveMarks(redirect, currentWebsite.value?.held_environments ?? [], now);
  const places = ENVIRONMENTS.slice(
    0,
    ENVIRONMENTS.findLastIndex((each) => marks.some(({ environment }) => environment === each)) + 1,
  );
  return (
    <>
      {redirect.target_environments === '' && <span class="badge">Draft</span>}
      {places.map((environment) => {
        const mark = marks.find((each) => each.environment === environment);
        return mark ? <Mark key={environment} mark={mark} /> : <span key={environment} class="no-mark" />;
      })}
      {hasSchedule && <Schedule redirect={redirect} now={now} className="second-line" />}
    </>
  );
}

/** `from Thu 22:01`, `until 24 Nov` or `ended 21 Oct`; `now` if it has begun and has no end. */
export function Schedule({ redirect, now, className }: { redirect: Redirect; now: number; className: string }) {
  const { text, title } = scheduleOf(redirect, now);
  if (title === '') return null;
  return (
    <span class={className} title={title}>
      {text || 'now'}
    </span>
  );
}

/** The state in an environment: its shape, a letter, and a tooltip. */
export function Mark({ mark: { environment, state, isAnswering, title } }: { mark: LiveMark }) {
  return (
    <span class={`badge mark ${isAnswering ? ENVIRONMENT_TONE[environment] : ''}`} data-state={state} title={title}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={SHAPE[state]} />
      </svg>
      <span aria-hidden="true">{ENVIRONMENT_LABEL[environment].slice(0, 1)}</span>
      <span class="unseen">{title}</span>
    </span>
  );
}

/** A disc, a clock, a bar, a triangle and a ring: the shape shows the state without colour. */
const SHAPE: Record<LiveState, string> = {
  live: 'M5 1a4 4 0 1 1 0 8a4 4 0 1 1 0-8z',
  scheduled: 'M5 1a4 4 0 1 1 0 8a4 4 0 1 1 0-8zM5 3v2.2l1.6 1',
  ended: 'M1.5 5h7',
  waiting: 'M5 1L9.4 9H.6z',
  none: 'M5 1.75a3.25 3.25 0 1 1 0 6.5a3.25 3.25 0 1 1 0-6.5z',
};

/** The rule that visitors get while an edit waits; nothing if the redirect is live as it is, or not at all. */
export function LiveRule({ redirect }: { redirect: Redirect }) {
  const rule = liveRuleOf(redirect);
  return rule ? (
    <span class="second-line live-rule truncate" title={rule.title}>
      <span>{rule.label}:</span> <bdi dir="ltr">{rule.text}</bdi>
    </span>
  ) : null;
}
