/** Suggested targets, as every screen shows them. */
import type { MissingPath } from '../api/client/wire.ts';

type Suggestion = Pick<MissingPath['suggestions'][number], 'target' | 'score' | 'reasons'>;
type Confidence = MissingPath['confidence'];

/** The least probable suggestion that rivals may have too. */
const MIN_SCORE = 0.3;
/** The same for one without a rival: names that differ by a letter have 10 to 30 %. */
const MIN_LONE_SCORE = 0.1;
/** The others are at most this part of it. */
const MAX_RIVAL = 0.25;
const CONFIDENCE = { sure: 'sure', likely: 'likely', guess: 'a guess' } as const;
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** The suggestions that are probable enough to be taken for many at once, best first. */
export const usable = <Found extends Suggestion>(suggestions: readonly Found[]): Found[] =>
  suggestions.filter(({ score }) => score >= MIN_SCORE);

/** Those with a button in their row: also a less probable one without a rival. */
export function offered<Found extends Suggestion>(suggestions: readonly Found[]): Found[] {
  const [best, next] = suggestions;
  const isLone = best !== undefined && best.score >= MIN_LONE_SCORE && (next?.score ?? 0) <= best.score * MAX_RIVAL;
  return isLone ? [best] : usable(suggestions);
}

/** `likely, 96%`; `confidence`: that of the best one, otherwise null. */
export const certaintyText = (confidence: Confidence, score: number): string =>
  [...(confidence === null ? [] : [CONFIDENCE[confidence]]), percent.format(score)].join(', ');
