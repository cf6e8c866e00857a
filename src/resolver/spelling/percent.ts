/** Percent-escapes (RFC 3986 section 2) and UTF-8 in escapes, without intermediate byte arrays. */

const UNRESERVED = 1;
const PATH = 2;
const QUERY = 4;

/** The sets that each ASCII character is in; a character that is in no set is always escaped. */
const CHARACTERS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9\-._~]/.test(character)) CHARACTERS[code] = UNRESERVED | PATH | QUERY;
  else if (/[!$'()*,;:@/]/.test(character)) CHARACTERS[code] = PATH | QUERY;
  else if (/[&=+]/.test(character)) CHARACTERS[code] = PATH;
  else if (character === '?') CHARACTERS[code] = QUERY;
}

const isIn = (set: number, code: number): boolean => code < 128 && ((CHARACTERS[code] ?? 0) & set) !== 0;

/** Letters, digits and `-._~`, which are equivalent to their escapes. */
export const isUnreserved = (code: number): boolean => isIn(UNRESERVED, code);
/** Characters that RFC 3986 allows in a path, slash included. */
export const isPathCharacter = (code: number): boolean => isIn(PATH, code);
/** Characters that a canonical name or value has unescaped: allowed in a query, except `&`, `=` and `+`. */
export const isPairCharacter = (code: number): boolean => isIn(QUERY, code);

/** The value of a hexadecimal digit, or -1. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** The byte of the escape at `at`, or -1. */
export function escapedByte(text: string, at: number): number {
  if (text.charCodeAt(at) !== 37) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : (high << 4) | low;
}

export function escapeByte(byte: number): string {
  return (byte < 16 ? '%0' : '%') + byte.toString(16).toUpperCase();
}

/** The escaped UTF-8 of a code point; a lone surrogate becomes U+FFFD. */
export function escapeCodePoint(codePoint: number): string {
  if (codePoint < 0x80) return escapeByte(codePoint);
  return encodeURIComponent(String.fromCodePoint(codePoint).toWellFormed());
}

/** Length of the escaped UTF-8 of a code point, in characters. */
export function escapedLength(codePoint: number): number {
  return codePoint < 0x80 ? 3 : codePoint < 0x800 ? 6 : codePoint < 0x10000 ? 9 : 12;
}

/** Decodes the escaped UTF-8 of a non-ASCII code point at `at`. Returns -1 for invalid UTF-8 (RFC 3629). */
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
  const min = more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000;
  if (codePoint < min || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return -1;
  return codePoint;
}
