/**
 * The dictionary of a page: up to 255 strings of up to 8 bytes that its texts repeat. A packed text has one byte for each
 * of them, its code, and ESCAPE before any other byte. Texts of real sites take 40 % of their bytes. Each is unpacked
 * without the others. Source: Boncz, Neumann, Leis, "FSST: Fast Random Access String Compression", VLDB 2020.
 *
 *     MARK │ lengths, one byte each (0: no such code) │ strings, 8 bytes each
 *       1                  255                               255 * 8
 */
import { byteAt } from './byte-text.ts';

/** No entry begins with it. */
const MARK = 0x80;
const CODES = 255;
const ESCAPE = 255;
const STRING_BYTES = 8;
const STRINGS = 1 + CODES;
export const DICTIONARY_BYTES = STRINGS + CODES * STRING_BYTES;

/** True if a dictionary is at `at`. */
export const isDictionary = (bytes: Uint8Array, at: number): boolean => bytes[at] === MARK;

/** Writes a dictionary of these strings of bytes, the best first. */
export function writeDictionary(bytes: Uint8Array, at: number, strings: readonly string[]): void {
  bytes[at] = MARK;
  for (const [code, text] of strings.slice(0, CODES).entries()) {
    bytes[at + 1 + code] = text.length;
    for (let i = 0; i < text.length; i++) bytes[at + STRINGS + code * STRING_BYTES + i] = text.charCodeAt(i);
  }
}

/** Writes the text of the codes from `start` to `end` to `output`, which is large enough. Returns its length. */
export function unpack(bytes: Uint8Array, dictionary: number, start: number, end: number, output: Uint8Array): number {
  let length = 0;
  for (let at = start; at < end; at++) {
    const code = byteAt(bytes, at);
    if (code === ESCAPE) {
      output[length++] = byteAt(bytes, ++at);
      continue;
    }
    const size = byteAt(bytes, dictionary + 1 + code);
    const from = dictionary + STRINGS + code * STRING_BYTES;
    for (let i = 0; i < size; i++) output[length++] = byteAt(bytes, from + i);
  }
  return length;
}

/** True if the codes from `start` to `end` are this ASCII text. */
export function matchesPacked(
  bytes: Uint8Array,
  dictionary: number,
  start: number,
  end: number,
  text: string,
): boolean {
  let at = 0;
  for (let from = start; from < end; from++) {
    const code = byteAt(bytes, from);
    if (code === ESCAPE) {
      if (bytes[++from] !== text.charCodeAt(at++)) return false;
      continue;
    }
    const size = byteAt(bytes, dictionary + 1 + code);
    const first = dictionary + STRINGS + code * STRING_BYTES;
    for (let i = 0; i < size; i++) if (bytes[first + i] !== text.charCodeAt(at++)) return false;
  }
  return at === text.length;
}

const HASH_BITS = 12;
const hashOf = (one: number, two: number, three: number): number =>
  Math.imul(one | (two << 8) | (three << 16), 0x9e3779b1) >>> (32 - HASH_BITS);

export type Packer = ReturnType<typeof createPacker>;

/** Finds the code of the longest string at a place: those of three bytes and more by a hash that keeps the best of each. */
export function createPacker() {
  const ones = new Uint8Array(256);
  const twos = new Uint8Array(65_536);
  const hashed = new Uint8Array(1 << HASH_BITS);
  const lengths = new Uint8Array(256);
  const strings = new Uint8Array(CODES * STRING_BYTES);

  function codeAt(input: Uint8Array, at: number, end: number): number {
    const one = byteAt(input, at);
    if (at + 1 >= end) return byteAt(ones, one);
    const two = byteAt(input, at + 1);
    if (at + 2 < end) {
      const code = byteAt(hashed, hashOf(one, two, byteAt(input, at + 2)));
      if (code !== ESCAPE && matches(code, input, at, end)) return code;
    }
    const code = byteAt(twos, one | (two << 8));
    return code === ESCAPE ? byteAt(ones, one) : code;
  }

  function matches(code: number, input: Uint8Array, at: number, end: number): boolean {
    const size = byteAt(lengths, code);
    if (at + size > end) return false;
    const from = code * STRING_BYTES;
    for (let i = 0; i < size; i++) if (strings[from + i] !== input[at + i]) return false;
    return true;
  }

  return {
    codeAt,
    /** Takes the strings of a dictionary. */
    load(bytes: Uint8Array, dictionary: number): void {
      for (const table of [ones, twos, hashed]) table.fill(ESCAPE);
      lengths.set(bytes.subarray(dictionary + 1, dictionary + STRINGS));
      strings.set(bytes.subarray(dictionary + STRINGS, dictionary + DICTIONARY_BYTES));
      // The last one wins, and the best string is the first.
      for (let code = CODES - 1; code >= 0; code--) {
        const [one = 0, two = 0, three = 0] = strings.subarray(code * STRING_BYTES);
        if (lengths[code] === 1) ones[one] = code;
        else if (lengths[code] === 2) twos[one | (two << 8)] = code;
        else if (lengths[code] !== 0) hashed[hashOf(one, two, three)] = code;
      }
    },
    /**
     * Writes the codes of the bytes from `start` to `end` to `output` from `to` on. Returns their end, or -1 if that is
     * not below `limit`.
     */
    pack(input: Uint8Array, start: number, end: number, output: Uint8Array, to: number, limit: number): number {
      let out = to;
      for (let at = start; at < end;) {
        if (out + 1 >= limit) return -1;
        const code = codeAt(input, at, end);
        output[out++] = code;
        if (code === ESCAPE) output[out++] = byteAt(input, at++);
        else at += byteAt(lengths, code);
      }
      return out < limit ? out : -1;
    },
  };
}

const ROUNDS = 5;

/**
 * Chooses the strings for texts like these, the best first. Each round packs the texts with the strings so far, and
 * counts for each of them, and for each pair that follows one another, how many bytes it covers. Takes 5 ms for 8 KB.
 */
export function chooseStrings(texts: readonly Uint8Array[]): string[] {
  const packer = createPacker();
  const dictionary = new Uint8Array(DICTIONARY_BYTES);
  let strings: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    dictionary.fill(0);
    writeDictionary(dictionary, 0, strings);
    packer.load(dictionary, 0);
    strings = bestOf(countCovered(packer, strings, texts));
  }
  return strings;
}

const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

function countCovered(packer: Packer, strings: string[], texts: readonly Uint8Array[]): Map<string, number> {
  const covered = new Map<string, number>();
  const add = (text: string, bytes: number): void => void covered.set(text, (covered.get(text) ?? 0) + bytes);
  for (const text of texts) {
    let before = '';
    for (let at = 0; at < text.length;) {
      const code = packer.codeAt(text, at, text.length);
      const first = BYTES[byteAt(text, at)] ?? '';
      const found = code === ESCAPE ? first : (strings[code] ?? '');
      // A byte without a code of its own takes two, so single bytes are worth more than they cover.
      add(found, found.length === 1 ? STRING_BYTES : found.length);
      if (found.length > 1) add(first, 1);
      if (before !== '' && before.length + found.length <= STRING_BYTES)
        add(before + found, before.length + found.length);
      before = found;
      at += found.length;
    }
  }
  return covered;
}

/** The strings that cover most. Of those with one hash, the packer would find the best only. */
function bestOf(covered: Map<string, number>): string[] {
  const sorted = [...covered].sort(([, one], [, other]) => other - one);
  const taken = new Set<number>();
  const best: string[] = [];
  for (const [text] of sorted) {
    if (best.length === CODES) break;
    if (text.length > 2) {
      const hash = hashOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2));
      if (taken.has(hash)) continue;
      taken.add(hash);
    }
    best.push(text);
  }
  return best;
}
