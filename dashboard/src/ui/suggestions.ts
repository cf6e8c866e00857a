/** Suggested targets, as every screen shows them. */
import type { MissingPath } from '../api/client/wire.ts';

type Suggestion = Pick<MissingPath['suggestions'][number], 'target' | 'score' | 'reasons'>;
type Confidence = MissingPath['confidence'];

/** The lowest score of a suggestion with a button. */
const MIN_SCORE = 0.3;
/** The same for a suggestion without a rival: names that differ by a letter score 0.1 to 0.3. */
const MIN_LONE_SCORE = 0.1;
/** A rival has more than this share of the best score. */
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
