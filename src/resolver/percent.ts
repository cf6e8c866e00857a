/** Percent-escapes as RFC 3986 section 2 has them, and UTF-8 written in them, without a byte array in between. */

const UNRESERVED = 1;
const PATH = 2;
const QUERY = 4;

/** Which ASCII characters stand unescaped where; what is in none of the sets is always escaped. */
const CHARACTERS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9\-._~]/.test(character)) CHARACTERS[code] = UNRESERVED | PATH | QUERY;
  else if (/[!$'()*,;:@/]/.test(character)) CHARACTERS[code] = PATH | QUERY;
  else if (/[&=+]/.test(character)) CHARACTERS[code] = PATH;
  else if (character === '?') CHARACTERS[code] = QUERY;
}

const isOf = (set: number, code: number): boolean => code < 128 && ((CHARACTERS[code] ?? 0) & set) !== 0;

/** Letters, digits and `-._~`: the same character whether escaped or not. */
export const isUnreserved = (code: number): boolean => isOf(UNRESERVED, code);

/** What RFC 3986 allows in a path as it is, the slash included. */
export const isPathCharacter = (code: number): boolean => isOf(PATH, code);

/** What stands as it is in a canonical name or value: allowed in a query, and neither `&`, `=` nor `+`. */
export const isPairCharacter = (code: number): boolean => isOf(QUERY, code);

/** The value of a hexadecimal digit, or -1. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** The byte of the escape that begins at `at`, or -1 where none does. */
export function escapedByte(text: string, at: number): number {
  if (text.charCodeAt(at) !== 37) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : (high << 4) | low;
}

/** `%` and the two upper-case digits of a byte. */
export function escapeByte(byte: number): string {
  return (byte < 16 ? '%0' : '%') + byte.toString(16).toUpperCase();
}

/** A code point as the escapes of its UTF-8; a lone surrogate becomes U+FFFD, as in every UTF-8 encoder. */
export function escapeCodePoint(codePoint: number): string {
  if (codePoint < 0x80) return escapeByte(codePoint);
  return encodeURIComponent(String.fromCodePoint(codePoint).toWellFormed());
}

/** How many characters the escapes of a code point take. */
export function escapedLength(codePoint: number): number {
  if (codePoint < 0x80) return 3;
  if (codePoint < 0x800) return 6;
  return codePoint < 0x10000 ? 9 : 12;
}

/**
 * The non-ASCII code point whose UTF-8 stands in escapes at `at`, or -1 where the bytes are not valid UTF-8 (RFC 3629: overlong
 * forms, surrogates and what lies above U+10FFFF are not).
 */
export function escapedCodePoint(text: string, at: number): number {
  const lead = escapedByte(text, at);
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  let codePoint = lead & (0x3f >> more);
  for (let k = 1; k <= more; k++) {
    const byte = escapedByte(text, at + 3 * k);
    if (byte < 0x80 || byte > 0xbf) return -1;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  const least = more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000;
  if (codePoint < least || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return -1;
  return codePoint;
}
