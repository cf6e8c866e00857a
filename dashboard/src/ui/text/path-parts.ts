/** The displayed form of a stored path: decoded if that is safe, cut in the middle, and mapped back for copying. */

/** A unit of the displayed text, and the stored text that it stands for. */
interface Unit {
  shown: string;
  stored: string;
}

export interface ShownPath {
  text: string;
  /** undefined if the displayed text is the stored one */
  units: readonly Unit[] | undefined;
}

/** Escapes of characters outside ASCII. Others can separate parts of a path. */
const ESCAPES = /(?:%[89a-f][0-9a-f])+/gi;
/** Visible letters, marks, digits, dashes and emoji. White space, invisible characters and direction controls are not. */
const LEGIBLE = /^[[\p{L}\p{M}\p{N}\p{Pd}\p{Extended_Pictographic}]--\p{Default_Ignorable_Code_Point}]+$/v;

/** Decodes `/caf%C3%A9` to `/café`. Escapes that are not UTF-8, or whose characters are not legible, stay. */
export function shownPath(path: string): ShownPath {
  const units: Unit[] = [];
  let end = 0;
  for (const { 0: escapes, index } of path.matchAll(ESCAPES)) {
    const decoded = decodedUnits(escapes);
    if (!decoded) continue;
    units.push(...plainUnits(path.slice(end, index)), ...decoded);
    end = index + escapes.length;
  }
  if (end === 0) return { text: path, units: undefined };
  units.push(...plainUnits(path.slice(end)));
  return { text: units.map(({ shown }) => shown).join(''), units };
}

const plainUnits = (text: string): Unit[] => Array.from(text, (char) => ({ shown: char, stored: char }));

function decodedUnits(escapes: string): Unit[] | undefined {
  try {
    const text = decodeURIComponent(escapes);
    if (!LEGIBLE.test(text)) return undefined;
    let at = 0;
    return Array.from(text, (char) => {
      const length = encodeURIComponent(char).length;
      return { shown: char, stored: escapes.slice(at, (at += length)) };
    });
  } catch {
    return undefined;
  }
}

/** The stored text of a part of the displayed one. Characters that are partly inside are included. */
export function storedPart({ text, units }: ShownPath, from: number, to: number): string {
  if (!units) return text.slice(from, to);
  let at = 0;
  let part = '';
  for (const { shown, stored } of units) {
    if (at < to && at + shown.length > from) part += stored;
    at += shown.length;
  }
  return part;
}

/** The text to store after the displayed form of a stored path was edited: what was not edited stays as it was stored. */
export function storedEdit(path: string, typed: string): string {
  const { units } = shownPath(path);
  if (!units) return typed;
  const chars = Array.from(typed);
  const most = Math.min(units.length, chars.length);
  let begin = 0;
  while (begin < most && units[begin]?.shown === chars[begin]) begin++;
  let end = 0;
  while (end < most - begin && units.at(-1 - end)?.shown === chars.at(-1 - end)) end++;
  const stored = (part: readonly Unit[]): string => part.map((unit) => unit.stored).join('');
  return [
    stored(units.slice(0, begin)),
    ...chars.slice(begin, chars.length - end),
    stored(units.slice(units.length - end)),
  ].join('');
}

/** The displayed text from `begin` to `end` is hidden behind an ellipsis. */
export interface Cut {
  begin: number;
  end: number;
}

/** Room for the ellipsis. */
const ELLIPSIS = '…';
/** Sources and targets differ at both ends; a pattern and a target on another host mostly at the beginning. */
const BEGIN_SHARE = 0.42;
const PATTERN_BEGIN_SHARE = 0.7;
/** An ellipsis next to a slash this near keeps whole segments. */
const SNAP_DISTANCE = 7;
const ORIGIN = /^https?:\/\/[^/]+\/?/i;

interface CutOptions {
  measure: (text: string) => number;
  isPattern?: boolean;
  shared?: number;
}

/**
 * Returns the parts of a text to hide so that it fits. `measure` returns a width. `shared`: characters at the beginning
 * that other paths of the list have too, which are hidden first; if the rest is too long, so is its middle.
 */
export function cutsOf(text: string, width: number, { shared = 0, ...options }: CutOptions): Cut[] {
  const { measure } = options;
  if (measure(text) <= width) return [];
  if (shared <= 2) return [middleOf(text, width, options)];
  const end = shared - 1;
  const rest = text.slice(end);
  const budget = width - measure(ELLIPSIS);
  // Only the slash stays of the shared folder: all cut paths of a list then look alike.
  const folder: Cut = { begin: 1, end };
  if (measure(`/${rest}`) <= budget) return [folder];
  const middle = middleOf(rest, budget - measure('/'), options);
  return [folder, { begin: end + middle.begin, end: end + middle.end }];
}

/** The middle of a text that is too long. */
function middleOf(text: string, width: number, { measure, isPattern = false }: CutOptions): Cut {
  const budget = width - measure(ELLIPSIS);
  const origin = ORIGIN.exec(text)?.[0] ?? '';
  const share = isPattern ? PATTERN_BEGIN_SHARE : BEGIN_SHARE;
  const beginWidth = Math.max(budget * share, Math.min(measure(origin) + 1, budget * PATTERN_BEGIN_SHARE));
  let begin = wholeBefore(
    text,
    longest(text.length, (count) => measure(text.slice(0, count)) <= beginWidth),
  );
  const slash = text.lastIndexOf('/', begin - 1) + 1;
  if (!isPattern && slash > 1 && slash >= origin.length && begin - slash < SNAP_DISTANCE) begin = slash;
  const rest = budget - measure(text.slice(0, begin));
  const count = longest(text.length - begin, (length) => measure(text.slice(text.length - length)) <= rest);
  let end = wholeAfter(text, text.length - count);
  const next = text.indexOf('/', end);
  if (!isPattern && next > begin && next - end < SNAP_DISTANCE && next < text.length - 1) end = next;
  return { begin, end };
}

/** Fewer paths may differ from the others. */
const FEW = 0.1;

/** The folder that most of the paths lie in, such as `/docs/v1/`; '' if they lie in none. */
export function sharedFolder(paths: readonly string[]): string {
  const sorted = paths.toSorted();
  const few = Math.floor(sorted.length * FEW);
  const [first = '', last = ''] = [sorted[few], sorted[sorted.length - 1 - few]];
  if (sorted.length < 2) return '';
  const same = longest(first.length, (count) => last.startsWith(first.slice(0, count)));
  return first.slice(0, first.lastIndexOf('/', same - 1) + 1);
}

/** The largest count up to `max` that fits. */
function longest(max: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True if a cut before this index would part a character from its marks or its second half. */
const isInside = (text: string, at: number): boolean =>
  at > 0 && at < text.length && /^[\p{M}\u200d\udc00-\udfff]/v.test(text.slice(at, at + 1));

function wholeBefore(text: string, at: number): number {
  return isInside(text, at) ? wholeBefore(text, at - 1) : at;
}

function wholeAfter(text: string, at: number): number {
  return isInside(text, at) ? wholeAfter(text, at + 1) : at;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}]|[\u{1e800}-\u{1efff}]/v;

/**
 * Parts of a text by direction. Each segment that is written from right to left stands alone, so that segments keep
 * their order from left to right.
 */
export function directionParts(text: string): { text: string; isIsolated: boolean }[] {
  if (!RIGHT_TO_LEFT.test(text)) return text === '' ? [] : [{ text, isIsolated: false }];
  return text
    .split(/([\/?&=#]+)/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isIsolated: RIGHT_TO_LEFT.test(part) }));
}
