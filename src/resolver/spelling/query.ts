/** Queries as lists of pairs. Each pair has one canonical ASCII spelling: decoded, `+` is a space, encoded again. */
import {
  escapeByte,
  escapeCodePoint,
  escapedByte,
  escapedCodePoint,
  escapedLength,
  isPairCharacter,
} from './percent.ts';

/** Splits a raw query into its raw parameters, without empty ones as in `&&`. */
export function rawParameters(query: string | null): string[] {
  return query === null || query === '' ? [] : query.split('&').filter((parameter) => parameter !== '');
}

/** Canonical form of a raw parameter. An empty value is written without `=`. */
export function canonicalPair(parameter: string): string {
  const sign = parameter.indexOf('=');
  const name = canonicalName(parameter);
  const value = sign < 0 ? '' : canonicalText(parameter.slice(sign + 1));
  return value === '' && name !== '' ? name : `${name}=${value}`;
}

export function canonicalName(parameter: string): string {
  const sign = parameter.indexOf('=');
  return canonicalText(sign < 0 ? parameter : parameter.slice(0, sign));
}

/** The canonical pairs that a query requires: each once, in byte order. */
export function requiredPairs(query: string | null): string[] {
  return [...new Set(rawParameters(query).map(canonicalPair))].sort();
}

/** True if both queries have the same parameters in the same order. */
export function sameQuery(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const [left, right] = [one, other].map((query) => rawParameters(query).map(canonicalPair).join('&'));
  return left === right;
}

const CANONICAL = /^[A-Za-z0-9\-._~!$'()*,;:@/?]*$/;

/** A longer text is in no rule, whose key has at most 2,048 bytes. Normalization takes quadratic time. */
const MAX_TEXT_LENGTH = 4_096;

function canonicalText(text: string): string {
  if (text.length > MAX_TEXT_LENGTH || CANONICAL.test(text)) return text;
  let out = '';
  let run = '';
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const byte = code === 37 ? escapedByte(text, at) : -1;
    const codePoint = byte < 0 ? (code === 43 ? 32 : code) : byte < 0x80 ? byte : escapedCodePoint(text, at);
    if (codePoint < 0) {
      // Bytes that are not UTF-8 stay escaped, and end the text to normalize.
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
