/**
 * Append-only pages for the entries of the literal table (picture: README.md). Forks share pages, in any thread. The
 * header of a page has a lock: only the draft that holds it appends. Other drafts append to a copy. A draft that is
 * never sealed keeps its locks, which costs only the rest of a page.
 */
import { DICTIONARY_BYTES, isDictionary, writeDictionary } from './dictionary.ts';
import { allocateShared, type RulesetMemory } from './shared-memory.ts';

/** A sealed page never changes below `used`. Only the draft with this `owner` may append. */
export interface Page {
  bytes: Uint8Array<RulesetMemory>;
  /** end of the entries that this ruleset may refer to */
  used: number;
  owner: number;
}

/** Few large pages: their addresses stay in the CPU cache, so a lookup waits for memory once instead of three times. */
const PAGE_BITS = 20;
const PAGE_BYTES = 1 << PAGE_BITS;
const FIRST_BYTES = 512;
/** The first page ends here: its entries are the sample for the dictionary of the next one. */
const SAMPLE_PAGE_BYTES = 1 << 16;
/** A small table has small pages, because most websites have few rules. A page grows by copies. */
const FIRST_PAGES = [FIRST_BYTES, SAMPLE_PAGE_BYTES];
/** Two 32-bit numbers: LOCK and END. Because of them no entry has the reference 0, which means "no entry". */
export const HEADER_BYTES = 8;
const MAX_ENTRY_BYTES = PAGE_BYTES - HEADER_BYTES - DICTIONARY_BYTES;
/** 1 while a draft appends */
const LOCK = 0;
/** where the next draft appends */
const END = 1;

export const pageOf = (reference: number): number => reference >>> PAGE_BITS;
export const offsetOf = (reference: number): number => reference & (PAGE_BYTES - 1);

/** Yields the references of all entries in writing order, removed ones included. */
export function* references(pages: Page[], sizeOf: (reference: number) => number): Generator<number> {
  for (const index of pages.keys()) yield* referencesIn(pages, index, sizeOf);
}

/** Yields the references of the entries in one page. */
export function* referencesIn(pages: Page[], index: number, sizeOf: (reference: number) => number): Generator<number> {
  const page = pages[index];
  if (!page) return;
  const start = index * PAGE_BYTES;
  for (let at = firstEntryOf(page); at < page.used; at += sizeOf(start + at)) yield start + at;
}

/**
 * Returns the last page, locked by the draft and with space for `size` bytes, for `take`. Throws above 1 MiB, which the
 * limits on redirects prevent.
 */
export function reserve(pages: Page[], owner: number, size: number): Page {
  const last = pages.at(-1);
  if (!last || isFull(pages, last, size)) return addPage(pages, owner, size);
  if (last.owner === owner && last.used + size <= last.bytes.length) return last;
  const locked = last.owner === owner ? last : lockPage(last, owner);
  const page = locked && locked.used + size <= locked.bytes.length ? locked : copyPage(locked ?? last, owner, size);
  if (!page) return addPage(pages, owner, size);
  pages[pages.length - 1] = page;
  return page;
}

/** Takes `size` bytes of the last page, which a draft has reserved. Returns their reference. */
export function take(pages: Page[], page: Page, size: number): number {
  const reference = (pages.length - 1) * PAGE_BYTES + page.used;
  page.used += size;
  return reference;
}

/** True if the page has nothing yet. */
export const isEmptyPage = (page: Page): boolean => page.used === HEADER_BYTES;

export const hasDictionary = ({ bytes, used }: Pick<Page, 'bytes' | 'used'>): boolean =>
  used > HEADER_BYTES && isDictionary(bytes, HEADER_BYTES);

/** Writes the dictionary of an empty page. */
export function addDictionary(page: Page, strings: readonly string[]): void {
  writeDictionary(page.bytes, HEADER_BYTES, strings);
  page.used += DICTIONARY_BYTES;
}

const firstEntryOf = (page: Page): number => HEADER_BYTES + (hasDictionary(page) ? DICTIONARY_BYTES : 0);

/** Releases the pages of a draft, which cannot append any more. */
export function sealPages(pages: Page[], owner: number): void {
  for (const page of pages) {
    if (page.owner !== owner) continue;
    Atomics.store(headerOf(page), END, page.used);
    Atomics.store(headerOf(page), LOCK, 0);
    page.owner = 0;
  }
}

export function usedBytes(pages: Page[]): number {
  let bytes = 0;
  for (const page of pages) bytes += page.used - firstEntryOf(page);
  return bytes;
}

/** A page over memory from another thread. `owner` is 0: no draft of this thread has locked it. */
export function openPage(memory: RulesetMemory, used: number): Page {
  return { bytes: new Uint8Array(memory), used, owner: 0 };
}

/** Memory of an unlocked page whose entries end at `used`, still empty. */
export function createPageMemory(used: number): RulesetMemory {
  const page = openPage(allocateShared(used), used);
  Atomics.store(headerOf(page), END, used);
  return page.bytes.buffer;
}

export function entryBytes(memory: RulesetMemory, used: number): Uint8Array {
  return new Uint8Array(memory, HEADER_BYTES, used - HEADER_BYTES);
}

const isFull = (pages: Page[], { used }: Page, size: number): boolean =>
  used + size > PAGE_BYTES || (pages.length === 1 && used >= SAMPLE_PAGE_BYTES);

function addPage(pages: Page[], owner: number, size: number): Page {
  if (size > MAX_ENTRY_BYTES) throw new Error(`an entry of ${size} bytes is larger than a page`);
  if (pages.length === 2 ** (32 - PAGE_BITS)) throw new Error('a literal table has at most 4 GiB');
  const before = pages.length === 0 ? HEADER_BYTES : HEADER_BYTES + DICTIONARY_BYTES;
  const page = newPage(FIRST_PAGES[pages.length] ?? PAGE_BYTES, before + size, owner);
  pages.push(page);
  return page;
}

function newPage(leastBytes: number, neededBytes: number, owner: number): Page {
  let size = leastBytes;
  while (size < neededBytes) size *= 2;
  const page = { bytes: new Uint8Array(allocateShared(Math.min(size, PAGE_BYTES))), used: HEADER_BYTES, owner };
  Atomics.store(headerOf(page), LOCK, 1);
  return page;
}

const headerOf = ({ bytes }: Page): Int32Array => new Int32Array(bytes.buffer, 0, 2);

/** Locks a page; undefined if another draft appends to it. Other forks may have appended since it was sealed. */
function lockPage(page: Page, owner: number): Page | undefined {
  const header = headerOf(page);
  if (Atomics.compareExchange(header, LOCK, 0, 1) !== 0) return undefined;
  return { bytes: page.bytes, used: Atomics.load(header, END), owner };
}

/** Copies a page, and enlarges it if necessary. Undefined if it cannot hold `size` more bytes; it is then unlocked. */
function copyPage(page: Page, owner: number, size: number): Page | undefined {
  const copy = page.used + size > PAGE_BYTES ? undefined : newPage(FIRST_BYTES, page.used + size, owner);
  if (copy) {
    copy.bytes.set(page.bytes.subarray(HEADER_BYTES, page.used), HEADER_BYTES);
    copy.used = page.used;
  }
  // The next draft overwrites what this draft appended to the original, because END did not move.
  if (page.owner === owner) Atomics.store(headerOf(page), LOCK, 0);
  return copy;
}
