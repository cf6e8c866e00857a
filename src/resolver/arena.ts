/**
 * Append-only pages for the entries of the literal table (picture: README.md). Forks share pages and may append to the
 * same page: a fork never refers to entries that another fork wrote.
 */

export interface Page {
  bytes: Buffer<ArrayBuffer>;
  /** bytes written by all forks */
  used: number;
}

/** Few large pages: their addresses stay in the CPU cache, so a lookup waits for memory once instead of three times. */
const PAGE_BITS = 20;
const PAGE_BYTES = 1 << PAGE_BITS;
const FIRST_BYTES = 512;
/** The reference 0 means "no entry". */
const FIRST_ENTRY = 4;

export const pageOf = (reference: number): number => reference >>> PAGE_BITS;
export const offsetOf = (reference: number): number => reference & (PAGE_BYTES - 1);

/** Yields the references of all entries in writing order, removed ones included. */
export function* references(pages: Page[], sizeOf: (reference: number) => number): Generator<number> {
  for (const [index, page] of pages.entries()) {
    const start = index * PAGE_BYTES;
    for (let at = index === 0 ? FIRST_ENTRY : 0; at < page.used; at += sizeOf(start + at)) yield start + at;
  }
}

/** Allocates `size` bytes and returns their reference. Throws above 1 MiB, which the limits on redirects prevent. */
export function allocate(pages: Page[], size: number): number {
  if (size > PAGE_BYTES - FIRST_ENTRY) throw new Error(`an entry of ${size} bytes is larger than a page`);
  let page = pages.at(-1);
  if (!page || page.used + size > PAGE_BYTES) {
    if (pages.length === 2 ** (32 - PAGE_BITS)) throw new Error('a literal table has at most 4 GiB');
    const first = pages.length === 0;
    page = { bytes: Buffer.allocUnsafeSlow(first ? FIRST_BYTES : PAGE_BYTES), used: first ? FIRST_ENTRY : 0 };
    pages.push(page);
  }
  if (page.used + size > page.bytes.length) {
    page = enlargedPage(page, page.used + size);
    pages[pages.length - 1] = page;
  }
  const reference = (pages.length - 1) * PAGE_BYTES + page.used;
  page.used += size;
  return reference;
}

/** A small table has a small page, because most websites have few rules. */
function enlargedPage(page: Page, needed: number): Page {
  let size = page.bytes.length * 2;
  while (size < needed) size *= 2;
  const bytes = Buffer.allocUnsafeSlow(Math.min(size, PAGE_BYTES));
  page.bytes.copy(bytes, 0, 0, page.used);
  return { bytes, used: page.used };
}
