import './live-in.css';
import type { Redirect } from '../../api/client/wire.ts';
import { currentWebsite } from '../../state/websites.ts';
import { ENVIRONMENT_SHORT, ENVIRONMENT_TONE } from '../../ui/text/environment.tsx';
import { isNarrow } from './list/grid-model.ts';
import { scheduleOf, useNow } from '../../ui/text/schedule.ts';
import { type LiveMark, liveMarks, liveRuleOf, type LiveState, windowsOf } from './live-state.ts';

/**
 * The column "Live in": a mark for each environment that the redirect has or is live in, and when its schedule begins or
 * ends.
 */
export function LiveIn({ redirect }: { redirect: Redirect }) {
  const now = useNow(windowsOf(redirect));
  const marks = liveMarks(redirect, currentWebsite.value?.held_environments ?? [], now);
  const { text, title } = scheduleOf(redirect, now);
  const isShort = marks.length > 1 || isNarrow.value;
  return (
    <>
      {redirect.target_environments === '' && <span class="badge">Draft</span>}
      {marks.map((mark) => (
        <Mark key={mark.environment} mark={mark} isShort={isShort} />
      ))}
      {text !== '' && (
        <span class="second-line" title={title}>
          {text}
        </span>
      )}
    </>
  );
}

function Mark({ mark: { environment, state, isAnswering, title }, isShort }: { mark: LiveMark; isShort: boolean }) {
  const name = ENVIRONMENT_SHORT[environment];
  return (
    <span
      class={`badge mark ${isShort ? 'short' : ''} ${isAnswering ? ENVIRONMENT_TONE[environment] : ''}`}
      data-state={state}
      title={title}
    >
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={SHAPE[state]} />
      </svg>
      <span aria-hidden="true">{isShort ? name.slice(0, 1) : name}</span>
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
