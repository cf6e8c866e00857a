/** Suggested targets, as every screen shows them. */
import type { MissingPath } from '../api/client/wire.ts';

type Suggestion = Pick<MissingPath['suggestions'][number], 'target' | 'score' | 'reasons'>;
type Confidence = MissingPath['confidence'];

/** The least probable suggestion with a button. */
const MIN_SCORE = 0.3;
const CONFIDENCE = { sure: 'sure', likely: 'likely', guess: 'a guess' } as const;
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** The suggestions that are probable enough for a button, best first. */
export const usable = <Found extends Suggestion>(suggestions: readonly Found[]): Found[] =>
  suggestions.filter(({ score }) => score >= MIN_SCORE);

/** `likely, 96%`; `confidence`: that of the best one, otherwise null. */
export const certaintyText = (confidence: Confidence, score: number): string =>
  [...(confidence === null ? [] : [CONFIDENCE[confidence]]), percent.format(score)].join(', ');
