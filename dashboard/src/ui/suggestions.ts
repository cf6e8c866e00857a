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

/** True if the best suggestion is probable enough for a redirect in one click. */
export const isLikely = (confidence: Confidence): boolean => confidence === 'sure' || confidence === 'likely';

/** Says why, and how probable the words make it. */
export const suggestionTitle = ({ target, score, reasons }: Suggestion): string =>
  [`Redirect it to ${target}`, ...reasons, `${percent.format(score)} by the words of both`].join('\n');

/** `likely, 96%`; `confidence`: that of the best one, otherwise null. */
const certaintyText = (confidence: Confidence, score: number): string =>
  [...(confidence === null ? [] : [CONFIDENCE[confidence]]), percent.format(score)].join(', ');

/**
 * The same beside a target. Words are compared whole, so a name with one letter more scores like a stranger: then the
 * letter is said instead.
 */
export function nearnessText(path: string, confidence: Confidence, { target, score }: Suggestion): string {
  return (isLikely(confidence) ? undefined : spellingText(path, target)) ?? certaintyText(confidence, score);
}

const ENDING = /\.(?:html?|php\d?|aspx?|jspx?)$/;
const MIN_NAME = 4;

/** `one letter differs` of the names of two pages; undefined if more does. Digits are no letters: they tell products apart. */
function spellingText(path: string, target: string): string | undefined {
  const [a, b] = [path, target].map((url) =>
    url
      .replace(/[?#].*$/, '')
      .replace(/\/$/, '')
      .toLowerCase(),
  );
  const [own = '', other = ''] = [a, b].map((url) => url?.replace(ENDING, '').split('/').at(-1));
  const [short, long] = own.length < other.length ? [own, other] : [other, own];
  if (short.length < MIN_NAME || !hasOneMore(short, long)) return undefined;
  const isEnding = ENDING.exec(a ?? '')?.[0] !== ENDING.exec(b ?? '')?.[0];
  return isEnding ? 'one letter and the ending differ' : 'one letter differs';
}

/** True if one letter of `long` is another one in `short`, or is not in it. */
function hasOneMore(short: string, long: string): boolean {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const rest = short.slice(long.length === short.length ? at + 1 : at);
  return long.slice(at + 1) === rest && /\p{L}/u.test(long[at] ?? '') && !/\d/.test(short[at] ?? '');
}
