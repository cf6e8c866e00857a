/** The displayed form of a stored path: decoded if that is safe, and mapped back for copying. */

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

/** Paths differ at both ends, mostly at the second one. */
const END_SHARE = 0.55;
const MAX_END = 40;
/** Characters of one width, so that CSS can reserve the space of the end. */
const PLAIN_END = /[!-~]*$/;

/** The number of characters that stay at the end of a displayed path when it is cut. */
export const endLength = (text: string): number =>
  Math.min(MAX_END, Math.floor(text.length * END_SHARE), PLAIN_END.exec(text)?.[0].length ?? 0);

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
