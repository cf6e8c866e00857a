import { escapeCodePoint, escapedCodePoint, escapedLength } from './percent.ts';

/** An upper-case letter, or a byte above 0x7F in escapes: the only things that folding can change. */
const FOLDABLE = /[A-Z]|%[89A-F]/;
const HIGH_ESCAPES = /(?:%[89A-F][0-9A-F])+/g;
const ESCAPE_OR_LETTERS = /%[0-9A-F]{2}|[A-Z]+/g;

/**
 * A canonical path in Unicode lower case, for comparison where case is ignored. Escaped UTF-8 is lowered as the characters that it
 * stands for; the digits of escapes and bytes that are not UTF-8 stay. Each character is lowered by itself and both Greek
 * small sigmas count as one, so that a letter's neighbours do not matter. Its own fold.
 */
export function foldPath(canonical: string): string {
  if (!FOLDABLE.test(canonical)) return canonical;
  if (!canonical.includes('%')) return canonical.toLowerCase();
  const lowered = canonical.replace(ESCAPE_OR_LETTERS, (found) =>
    found.startsWith('%') ? found : found.toLowerCase(),
  );
  return lowered.replace(HIGH_ESCAPES, foldEscapes);
}

function foldEscapes(escapes: string): string {
  let out = '';
  let at = 0;
  while (at < escapes.length) {
    const codePoint = escapedCodePoint(escapes, at);
    const length = codePoint < 0 ? 3 : escapedLength(codePoint);
    out +=
      codePoint < 0
        ? escapes.slice(at, at + length)
        : foldCodePoint(codePoint, escapes.slice(at, at + length));
    at += length;
  }
  return out;
}

function foldCodePoint(codePoint: number, escaped: string): string {
  const character = String.fromCodePoint(codePoint);
  const lower = lowerCase(character);
  return lower === character ? escaped : Array.from(lower, escapeLetter).join('');
}

/** The lower case of one character, in which both small sigmas are the same. */
export function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower === 'ς' ? 'σ' : lower;
}

const escapeLetter = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  return code < 0x80 ? letter : escapeCodePoint(code);
};
