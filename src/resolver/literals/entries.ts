/** Literal rules in bytes, as in README.md. Entries never change after they are written. */
import { byteAt, readUint16, readUint32, writeUint } from './byte-text.ts';
import { canonicalPath, isSimplePath } from '../spelling/canonical-path.ts';
import { offsetOf, type Page, pageOf, referencesIn, reserve, take } from './arena.ts';
import { encodeTexts, isText, packTexts, readText, startPage } from './entry-texts.ts';
import type { Match, Rule } from '../rule.ts';
import { readWindow, WINDOW_BYTES, writeWindow } from '../window.ts';

/** Flags. `PLAIN`: the target is its own Location and canonical path, without query and fragment. */
const PLAIN = 1;
const NO_TARGET = 2;
const CHAINED = 4;
const WIDE = 8;
/** With a window, after the link. */
const SCHEDULED = 16;
/** Key and target are packed with the dictionary of the page. */
const PACKED = 32;

const HEAD_BYTES = 6;
const LINK_BYTES = 4;
const MIN_STATUS = 300;

/** Appends an entry and returns its reference. `next` is undefined for an entry that is on no chain. */
export function writeEntry(pages: Page[], owner: number, rule: Rule, next: number | undefined): number {
  const { key, newPath, id, statusCode, window } = rule;
  const isSimple = isSimplePath(newPath ?? '');
  const plain = encodeTexts(key, newPath ?? '', isSimple);
  const isWide = plain.bytes.length - plain.keyBytes !== (newPath ?? '').length;
  if (statusCode < MIN_STATUS || statusCode > MIN_STATUS + 255) throw new Error(`invalid status code: ${statusCode}`);
  const link = next === undefined ? 0 : LINK_BYTES;
  const size = HEAD_BYTES + link + (window ? WINDOW_BYTES : 0) + idBytes(id);
  const page = reserve(pages, owner, size + plain.bytes.length);
  if (pages.length > 1) startPage(page, (count) => sampleTexts(pages, pages.length - 2, count));
  const texts = packTexts(page, plain);
  const reference = take(pages, page, size + texts.bytes.length);
  const { bytes } = page;
  let at = offsetOf(reference);
  bytes[at] =
    (isSimple || isPlain(newPath) ? PLAIN : 0) |
    (newPath === null ? NO_TARGET : 0) |
    (link > 0 ? CHAINED : 0) |
    (isWide ? WIDE : 0) |
    (window ? SCHEDULED : 0) |
    (texts.isPacked ? PACKED : 0);
  bytes[at + 1] = statusCode - MIN_STATUS;
  at = writeUint(bytes, at + 2, texts.keyBytes, 2);
  at = writeUint(bytes, at, texts.bytes.length - texts.keyBytes, 2);
  if (next !== undefined) at = writeUint(bytes, at, next, LINK_BYTES);
  if (window) at = writeWindow(bytes, at, window);
  at = writeId(bytes, at, id);
  bytes.set(texts.bytes, at);
  return reference;
}

/** Yields keys and targets from all over a page. */
function* sampleTexts(pages: Page[], index: number, count: number): Generator<string> {
  const distance = Math.ceil((pages[index]?.used ?? 0) / count);
  let due = 0;
  for (const reference of referencesIn(pages, index, (at) => sizeOf(pages, at))) {
    if (offsetOf(reference) < due) continue;
    due += distance;
    const { key, newPath } = readEntry(pages, reference);
    yield key;
    yield newPath ?? '';
  }
}

/** A target of two slashes has a host; one with a backslash, `?` or `#` is no canonical path. */
const isPlain = (newPath: string | null): boolean =>
  newPath !== null && !newPath.startsWith('//') && canonicalPath(newPath) === newPath;

function idBytes(id: number): number {
  let count = 1;
  for (let rest = id; rest >= 128; rest = Math.floor(rest / 128)) count++;
  return count;
}

function writeId(bytes: Uint8Array, at: number, id: number): number {
  let rest = id;
  let end = at;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[end++] = (rest % 128) | 128;
  bytes[end++] = rest;
  return end;
}

function readId(bytes: Uint8Array, start: number): number {
  let id = 0;
  let unit = 1;
  let at = start;
  for (; byteAt(bytes, at) >= 128; at++, unit *= 128) id += (byteAt(bytes, at) & 127) * unit;
  return id + byteAt(bytes, at) * unit;
}

function bytesAt(pages: Page[], reference: number): Uint8Array {
  const page = pages[pageOf(reference)];
  if (!page) throw new Error('invalid reference');
  return page.bytes;
}

const idAt = (bytes: Uint8Array, start: number): number =>
  start + HEAD_BYTES + ((byteAt(bytes, start) & (CHAINED | SCHEDULED)) === 0 ? 0 : optionalBytes(byteAt(bytes, start)));

const optionalBytes = (flags: number): number =>
  ((flags & CHAINED) === 0 ? 0 : LINK_BYTES) + ((flags & SCHEDULED) === 0 ? 0 : WINDOW_BYTES);

function keyAt(bytes: Uint8Array, start: number): number {
  let at = idAt(bytes, start);
  while (byteAt(bytes, at) >= 128) at++;
  return at + 1;
}

export function hasKey(pages: Page[], reference: number, key: string): boolean {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  const at = keyAt(bytes, start);
  return isText(bytes, at, at + readUint16(bytes, start + 2), (byteAt(bytes, start) & PACKED) !== 0, key);
}

/** The key of an entry. Three times as fast as reading the rule. */
export function readKey(pages: Page[], reference: number): string {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  return keyFrom(bytes, start, keyAt(bytes, start));
}

export function readEntry(pages: Page[], reference: number): Rule {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  const flags = byteAt(bytes, start);
  const at = keyAt(bytes, start);
  const rule: Rule = {
    id: readId(bytes, idAt(bytes, start)),
    key: keyFrom(bytes, start, at),
    isRegex: false,
    newPath: (flags & NO_TARGET) !== 0 ? null : targetFrom(bytes, start, at),
    statusCode: MIN_STATUS + byteAt(bytes, start + 1),
  };
  if ((flags & SCHEDULED) !== 0) rule.window = readWindow(bytes, idAt(bytes, start) - WINDOW_BYTES);
  return rule;
}

/** The key of the entry at `start`, which begins at `at`. */
const keyFrom = (bytes: Uint8Array, start: number, at: number): string =>
  readText(bytes, at, at + readUint16(bytes, start + 2), (byteAt(bytes, start) & PACKED) !== 0, false);

/** The target of the entry at `start`, whose key begins at `at`. */
function targetFrom(bytes: Uint8Array, start: number, at: number): string {
  const flags = byteAt(bytes, start);
  const target = at + readUint16(bytes, start + 2);
  return readText(bytes, target, target + readUint16(bytes, start + 4), (flags & PACKED) !== 0, (flags & WIDE) !== 0);
}

export function hasWindow(pages: Page[], reference: number): boolean {
  return (byteAt(bytesAt(pages, reference), offsetOf(reference)) & SCHEDULED) !== 0;
}

/** True if the target is its own Location and canonical path. */
export function hasPlainTarget(pages: Page[], reference: number): boolean {
  return (byteAt(bytesAt(pages, reference), offsetOf(reference)) & PLAIN) !== 0;
}

/** The stored target, or null. Much cheaper than reading the rule. */
export function readTarget(pages: Page[], reference: number): string | null {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  return (byteAt(bytes, start) & NO_TARGET) !== 0 ? null : targetFrom(bytes, start, keyAt(bytes, start));
}

/**
 * The match of an entry without a window whose Location is its target unchanged and is not `path`. Allocates nothing but
 * the match.
 */
export function matchPlainEntry(pages: Page[], reference: number, key: string, path: string) {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  if ((byteAt(bytes, start) & (PLAIN | CHAINED | SCHEDULED)) !== PLAIN) return undefined;
  const location = targetFrom(bytes, start, keyAt(bytes, start));
  if (location === path) return undefined;
  const statusCode = MIN_STATUS + byteAt(bytes, start + 1);
  const id = readId(bytes, start + HEAD_BYTES);
  return { id, key, statusCode, location, isRegex: false, kind: 'exact' } satisfies Match;
}

/** The next entry of the chain, or 0. */
export function nextInChain(pages: Page[], reference: number): number {
  return readUint32(bytesAt(pages, reference), offsetOf(reference) + HEAD_BYTES);
}

export function sizeOf(pages: Page[], reference: number): number {
  const bytes = bytesAt(pages, reference);
  const start = offsetOf(reference);
  return keyAt(bytes, start) - start + readUint16(bytes, start + 2) + readUint16(bytes, start + 4);
}
