/** Finds the ends of JSON values byte by byte, without parsing them. */

export const COMMA = 0x2c;
export const QUOTE = 0x22;
export const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
export const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
export const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09;

/** Returns the first index from `at` that is not white space; the buffer's length if there is no such index. */
export function skipSpace(buffer: Buffer, at: number): number {
  while (at < buffer.length && isSpace(buffer[at])) at++;
  return at;
}

/**
 * Returns the index after the value that begins at `at`; -1 if the buffer does not have its end yet. Strings and
 * nesting are exact. A number or word ends before a comma, bracket, brace or white space, and is not validated.
 */
export function endOfValue(buffer: Buffer, at: number): number {
  const first = buffer[at];
  if (first === QUOTE) return endOfString(buffer, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(buffer, at);
  for (let end = at; end < buffer.length; end++) {
    const byte = buffer[end];
    if (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isSpace(byte)) return end;
  }
  return -1;
}

function endOfString(buffer: Buffer, at: number): number {
  let quote = buffer.indexOf(QUOTE, at + 1);
  while (quote >= 0 && isEscaped(buffer, quote, at + 1)) quote = buffer.indexOf(QUOTE, quote + 1);
  return quote < 0 ? -1 : quote + 1;
}

/** A quote after an odd number of backslashes is escaped. */
function isEscaped(buffer: Buffer, quote: number, from: number): boolean {
  let at = quote;
  while (at > from && buffer[at - 1] === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

function endOfNested(buffer: Buffer, at: number): number {
  let depth = 0;
  for (let end = at; end < buffer.length; end++) {
    const byte = buffer[end];
    if (byte === QUOTE) {
      end = endOfString(buffer, end) - 1;
      if (end < 0) return -1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
    } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
      return end + 1;
    }
  }
  return -1;
}
