/**
 * Queries as lists of pairs. Pairs are compared decoded (`+` is a space, as forms write it), which is done by writing each in one
 * canonical way: equal pairs are equal strings of ASCII, and those strings decode to themselves.
 */
import {
  escapeByte,
  escapeCodePoint,
  escapedByte,
  escapedCodePoint,
  escapedLength,
  isPairCharacter,
} from './percent.ts';

/** The parameters of a raw query as they stand; empty pieces, as in `&&`, are none. */
export function rawParameters(query: string | null): string[] {
  return query === null || query === '' ? [] : query.split('&').filter((piece) => piece !== '');
}

/** One raw parameter in canonical form. A name without `=` is the name with an empty value, and is written without. */
export function canonicalPair(parameter: string): string {
  const sign = parameter.indexOf('=');
  const name = canonicalText(sign < 0 ? parameter : parameter.slice(0, sign));
  const value = sign < 0 ? '' : canonicalText(parameter.slice(sign + 1));
  return value === '' && name !== '' ? name : `${name}=${value}`;
}

/** The name of a raw parameter in canonical form. */
export function canonicalName(parameter: string): string {
  const sign = parameter.indexOf('=');
  return canonicalText(sign < 0 ? parameter : parameter.slice(0, sign));
}

/** The canonical pairs that a query asks for: each once, in byte order. */
export function requiredPairs(query: string | null): string[] {
  return [...new Set(rawParameters(query).map(canonicalPair))].sort();
}

/** True where both queries say the same parameters in the same order. */
export function sameQuery(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const mine = rawParameters(one);
  const theirs = rawParameters(other);
  return (
    mine.length === theirs.length &&
    mine.every((each, i) => canonicalPair(each) === canonicalPair(theirs[i] ?? ''))
  );
}

const PLAIN = /^[A-Za-z0-9\-._~!$'()*,;:@/?]*$/;

function canonicalText(text: string): string {
  if (PLAIN.test(text)) return text;
  let out = '';
  let run = '';
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const byte = code === 37 ? escapedByte(text, at) : -1;
    const codePoint = byte < 0 ? (code === 43 ? 32 : code) : byte < 0x80 ? byte : escapedCodePoint(text, at);
    if (codePoint < 0) {
      // Bytes that are not UTF-8 are no character: they stay escapes, and text is normalised up to them.
      out += escapeText(run) + escapeByte(byte);
      run = '';
      at += 3;
      continue;
    }
    run += String.fromCodePoint(codePoint);
    at += byte < 0 ? (code > 0xffff ? 2 : 1) : escapedLength(codePoint);
  }
  return out + escapeText(run);
}

function escapeText(text: string): string {
  let out = '';
  for (const character of text.normalize('NFC')) {
    const code = character.codePointAt(0) ?? 0;
    out += isPairCharacter(code) ? character : escapeCodePoint(code);
  }
  return out;
}
