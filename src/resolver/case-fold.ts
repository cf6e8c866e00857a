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

/** Is the path another than its fold? */
export function hasCase(canonical: string): boolean {
  return FOLDABLE.test(canonical) && foldPath(canonical) !== canonical;
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

/** Where Unicode has letters with case, ASCII apart. */
const CASED: readonly (readonly [from: number, to: number])[] = [
  [0x80, 0x2fff],
  [0xa640, 0xabff],
  [0xfb00, 0xffff],
  [0x10400, 0x10fff],
  [0x11800, 0x118ff],
  [0x16e00, 0x16eff],
  [0x1e900, 0x1e9ff],
];

let cases: Map<string, string[]> | undefined;

/** The characters that a non-ASCII one equals where case is ignored, itself among them. Takes a few milliseconds the first time. */
export function casesOf(character: string): string[] {
  cases ??= collectCases();
  const lower = lowerCase(character);
  return [...new Set([character, lower, ...(cases.get(lower) ?? [])])];
}

function collectCases(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, to] of CASED) {
    for (let code = from; code <= to; code++) {
      const character = String.fromCodePoint(code);
      const lower = lowerCase(character);
      if (lower !== character) found.set(lower, [...(found.get(lower) ?? []), character]);
    }
  }
  return found;
}
