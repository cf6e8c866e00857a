/**
 * Key and target of an entry, one after the other: as they are, or packed with the dictionary of their page if that is
 * shorter. The first page has none. That of another page is chosen for the entries of the page before it, because rules
 * that are written together look alike.
 */
import { addDictionary, hasDictionary, HEADER_BYTES, isEmptyPage, type Page } from './arena.ts';
import { encodeUtf8, readAscii, readUtf8, writeAscii, writeUtf8 } from './byte-text.ts';
import { chooseStrings, createPacker, matchesPacked, unpack } from './dictionary.ts';

const MAX_TEXT_BYTES = 0xffff;

/** The texts of the entry that is written: as they are, and packed. */
const plain = new Uint8Array(4 * MAX_TEXT_BYTES);
const packed = new Uint8Array(2 * MAX_TEXT_BYTES + 2);
/** The text that is read. */
const unpacked = new Uint8Array(MAX_TEXT_BYTES);
const packer = createPacker();
/** The page whose dictionary the packer has. */
let loaded: Uint8Array | undefined;

/** Texts of the entry that is written next, to be copied before another one is. `keyBytes` of `bytes` are its key. */
export interface EntryTexts {
  bytes: Uint8Array;
  keyBytes: number;
  isPacked: boolean;
}

/** Encodes a key, which is ASCII, and a target. Throws if one of them is too long. */
export function encodeTexts(key: string, target: string, isAscii: boolean): EntryTexts {
  if (key.length > MAX_TEXT_BYTES || target.length > MAX_TEXT_BYTES) throw new Error('key or target is too long');
  const keyBytes = writeAscii(plain, 0, key);
  const end = isAscii ? writeAscii(plain, keyBytes, target) : writeUtf8(plain, keyBytes, target);
  if (end - keyBytes > MAX_TEXT_BYTES) throw new Error('key or target is too long');
  return { bytes: plain.subarray(0, end), keyBytes, isPacked: false };
}

/** Packs texts for their page; returns them as they are if that is not shorter. */
export function packTexts(page: Page, texts: EntryTexts): EntryTexts {
  if (!hasDictionary(page)) return texts;
  if (loaded !== page.bytes) packer.load(page.bytes, HEADER_BYTES);
  loaded = page.bytes;
  const { length } = texts.bytes;
  const keyBytes = packer.pack(texts.bytes, 0, texts.keyBytes, packed, 0, length);
  const end = keyBytes < 0 ? -1 : packer.pack(texts.bytes, texts.keyBytes, length, packed, keyBytes, length);
  return end < 0 ? texts : { bytes: packed.subarray(0, end), keyBytes, isPacked: true };
}

/** Entries and bytes of each text for which a dictionary is chosen: about 8 KB in all. */
const SAMPLES = 100;
const SAMPLE_BYTES = 128;

/** Gives an empty page the dictionary for these texts of the page before it. `sample` yields `count` of them or fewer. */
export function startPage(page: Page, sample: (count: number) => Iterable<string>): void {
  if (!isEmptyPage(page)) return;
  const texts = Array.from(sample(SAMPLES), (text) => encodeUtf8(text.slice(0, SAMPLE_BYTES)));
  addDictionary(page, chooseStrings(texts));
}

/** Reads a text; `isWide`: it is not ASCII. */
export function readText(bytes: Uint8Array, start: number, end: number, isPacked: boolean, isWide: boolean): string {
  if (!isPacked) return isWide ? readUtf8(bytes, start, end) : readAscii(bytes, start, end);
  const length = unpack(bytes, HEADER_BYTES, start, end, unpacked);
  return isWide ? readUtf8(unpacked, 0, length) : readAscii(unpacked, 0, length);
}

/** True if the text is this ASCII text. */
export function isText(bytes: Uint8Array, start: number, end: number, isPacked: boolean, text: string): boolean {
  if (isPacked) return matchesPacked(bytes, HEADER_BYTES, start, end, text);
  const { length } = text;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}
