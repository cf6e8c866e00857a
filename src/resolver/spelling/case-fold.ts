import { escapedCodePoint, escapedLength } from './percent.ts';

/** An upper-case letter or an escaped byte above 0x7F: nothing else changes by folding. */
const FOLDABLE = /[A-Z]|%[89A-F]/;
const HIGH_ESCAPES = /(?:%[89A-F][0-9A-F])+/g;
const ESCAPE_OR_LETTERS = /%[0-9A-F]{2}|[A-Z]+/g;

/**
 * Returns a canonical path in Unicode lower case, escaped characters included. Idempotent. Characters are lowered one
 * by one and both Greek small sigmas become the same, so that neighbours do not matter.
 */
export function foldPath(canonical: string): string {
  if (!FOLDABLE.test(canonical)) return canonical;
  if (!canonical.includes('%')) return canonical.toLowerCase();
  const lower = (found: string): string => (found.startsWith('%') ? found : found.toLowerCase());
  return canonical.replace(ESCAPE_OR_LETTERS, lower).replace(HIGH_ESCAPES, foldEscapes);
}

function foldEscapes(escapes: string): string {
  let out = '';
  let at = 0;
  while (at < escapes.length) {
    const codePoint = escapedCodePoint(escapes, at);
    const escaped = escapes.slice(at, at + (codePoint < 0 ? 3 : escapedLength(codePoint)));
    out += codePoint < 0 ? escaped : foldCodePoint(codePoint, escaped);
    at += escaped.length;
  }
  return out;
}

function foldCodePoint(codePoint: number, escaped: string): string {
  const character = String.fromCodePoint(codePoint);
  const lower = lowerCase(character);
  if (lower === character) return escaped;
  return Array.from(lower, (letter) => (letter < '\x80' ? letter : encodeURIComponent(letter))).join('');
}

function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower === 'ς' ? 'σ' : lower;
}

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

/** All characters that equal a non-ASCII character if case is ignored. The first call takes a few milliseconds. */
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
