/**
 * The bytes of the literal table: entries one after the other in pages that are only ever written behind what is there. Forks share
 * pages, and even go on writing on the same one: what another has written there is not referred to by them.
 */

export interface Page {
  bytes: Buffer<ArrayBuffer>;
  /** bytes written, by whomever */
  used: number;
}

/** Few large pages: with their addresses in the processor's nearest cache a look-up waits for memory once, not three times. */
const PAGE_BITS = 20;
const PAGE_BYTES = 1 << PAGE_BITS;
const FIRST_BYTES = 512;
/** A reference of 0 means nothing, so the first entry begins behind it. */
const FIRST_ENTRY = 4;

export const pageOf = (reference: number): number => reference >>> PAGE_BITS;
export const offsetOf = (reference: number): number => reference & (PAGE_BYTES - 1);

/** The references of all entries in the order in which they were written, whether they count or not. */
export function* references(pages: Page[], sizeOf: (reference: number) => number): Generator<number> {
  for (const [index, page] of pages.entries()) {
    const start = index * PAGE_BYTES;
    for (let at = index === 0 ? FIRST_ENTRY : 0; at < page.used; at += sizeOf(start + at)) yield start + at;
  }
}

/**
 * Room for an entry of so many bytes: its reference, with the last page of `pages` replaced by a larger one or followed by another
 * where it is full. Throws for what no page can hold, which what is checked when a rule is written never is.
 */
export function allocate(pages: Page[], size: number): number {
  if (size > PAGE_BYTES - FIRST_ENTRY) throw new Error(`an entry of ${size} bytes is larger than a page`);
  let page = pages.at(-1);
  if (!page || page.used + size > PAGE_BYTES) {
    if (pages.length === 2 ** (32 - PAGE_BITS)) throw new Error('a table cannot hold more than 4 GiB');
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

/** A small table has a small page: there are many websites, and most have few rules. */
function enlargedPage(page: Page, needed: number): Page {
  let size = page.bytes.length * 2;
  while (size < needed) size *= 2;
  const bytes = Buffer.allocUnsafeSlow(Math.min(size, PAGE_BYTES));
  page.bytes.copy(bytes, 0, 0, page.used);
  return { bytes, used: page.used };
}
