/**
 * Numbers and texts in the bytes of a page. Plain JavaScript, because the resolver also runs in browsers and at CDNs.
 */

export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;
export const readUint16 = (bytes: Uint8Array, at: number): number => byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8);
export const readUint32 = (bytes: Uint8Array, at: number): number =>
  readUint16(bytes, at) + readUint16(bytes, at + 2) * 0x10000;

/** Writes a number in `size` bytes, the lowest first. Returns the offset after it. */
export function writeUint(bytes: Uint8Array, at: number, value: number, size: number): number {
  let rest = value;
  for (let i = 0; i < size; i++, rest = Math.floor(rest / 256)) bytes[at + i] = rest % 256;
  return at + size;
}

/** Writes an ASCII text. Returns the offset after it. */
export function writeAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

type ReadText = (this: Uint8Array, start: number, end: number) => string;

/** Node reads a text in one call. Undefined in browsers and at CDNs. */
const latin1Slice = (globalThis as { Buffer?: { prototype: { latin1Slice?: ReadText } } }).Buffer?.prototype
  .latin1Slice;

/** Reads an ASCII text. */
export const readAscii = (bytes: Uint8Array, start: number, end: number): string =>
  latin1Slice ? latin1Slice.call(bytes, start, end) : readByEights(bytes, start, end);

/** The same outside of Node. Characters one by one take three times as long as eight per call. */
function readByEights(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  let at = start;
  for (; at + 8 <= end; at += 8) {
    text += String.fromCharCode(
      byteAt(bytes, at),
      byteAt(bytes, at + 1),
      byteAt(bytes, at + 2),
      byteAt(bytes, at + 3),
      byteAt(bytes, at + 4),
      byteAt(bytes, at + 5),
      byteAt(bytes, at + 6),
      byteAt(bytes, at + 7),
    );
  }
  for (; at < end; at++) text += String.fromCharCode(byteAt(bytes, at));
  return text;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The UTF-8 of a text; a lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Writes the UTF-8 of a text. Returns the offset after it. */
export const writeUtf8 = (bytes: Uint8Array, at: number, text: string): number =>
  at + encoder.encodeInto(text, bytes.subarray(at)).written;

/** Bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => (/[^\0-\x7f]/.test(text) ? encodeUtf8(text).length : text.length);

/** Reads UTF-8. Copies it first: browsers do not decode shared memory. */
export const readUtf8 = (bytes: Uint8Array, start: number, end: number): string =>
  decoder.decode(bytes.slice(start, end));

/** Compares texts by their UTF-8 bytes, which is by their code points. */
export function compareUtf8(one: string, other: string): number {
  for (let i = 0; i < one.length && i < other.length; i++) {
    const difference = (one.codePointAt(i) ?? 0) - (other.codePointAt(i) ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
