import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { invalid } from '../../../vocabulary/error.ts';
import { addInvalid, addRow, newBatch } from './make-row.ts';
import type { UrlBatch } from './url-row.ts';
import { createXmlReader, decodeReferences, type XmlReader } from './xml-reader.ts';

/** Characters of an address that are kept: 2,048 bytes, each written as a reference. */
const MAX_KEPT = 32 * 1024;
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/;
/** The elements of the entries by root. */
const ENTRIES = { urlset: 'url', sitemapindex: 'sitemap' };
type Root = keyof typeof ENTRIES;
const ENCODINGS = /^(utf-?8|utf-?16(le|be)?|us-ascii)$/i;

/**
 * Yields the pages of a sitemap, or the sitemaps of an index, given as UTF-8. Throws INVALID_XML with the line,
 * DTD_NOT_ALLOWED or SITEMAP_INDEX. `start` is the beginning of its text.
 */
export async function* readSitemap(
  chunks: AsyncIterable<Buffer>,
  start: string,
  root: Root = 'urlset',
): AsyncGenerator<UrlBatch> {
  const [, declared = 'utf-8'] = DECLARED.exec(start) ?? [];
  if (!ENCODINGS.test(declared)) {
    const found = `the encoding ${JSON.stringify(declared.slice(0, 60))} is declared`;
    throw invalid('body', `line 1: ${found}; save the sitemap as UTF-8`, 'INVALID_XML');
  }
  const pages = createPages(root);
  const slice = createTimeSlice();
  for await (const chunk of chunks) {
    pages.reader.write(chunk);
    yield pages.takeBatch();
    if (slice.isOver()) await slice.yield();
  }
  pages.reader.end();
}

/** Collects the text of `loc` in each entry, such as `urlset/url/loc`, with the namespace prefix of the root. Other elements are extensions. */
function createPages(root: Root) {
  let [batch, prefix] = [newBatch(), ''];
  const page = { line: 0, isOpen: false, hasLoc: false };
  const loc = { line: 0, isOpen: false, isBroken: false, text: '' };
  const reader: XmlReader = createXmlReader({
    open(name, depth) {
      const line = depth > 3 ? 0 : reader.line();
      if (depth === 1) prefix = prefixOf(name, root, reader);
      else if (depth === 2 && name === prefix + ENTRIES[root])
        Object.assign(page, { line, isOpen: true, hasLoc: false });
      else if (depth === 3 && page.isOpen && name === `${prefix}loc`)
        Object.assign(loc, { line, isOpen: true, isBroken: false, text: '' });
      else if (loc.isOpen) loc.isBroken = true;
    },
    text(text, depth) {
      const isBetween = depth === 1 || (depth === 2 && page.isOpen);
      if (isBetween && text.trim() !== '') throw reader.broken('there is text between the elements of the sitemap');
      if (loc.isOpen && loc.text.length < MAX_KEPT) loc.text += text.slice(0, MAX_KEPT);
    },
    close(_name, depth) {
      if (depth === 3 && loc.isOpen) addLoc(batch, loc);
      else if (depth === 2 && page.isOpen && !page.hasLoc) addInvalid(batch, page.line, '', 'MISSING_PARAMETER');
      if (depth === 3 && loc.isOpen) page.hasLoc = true;
      if (depth <= 3) loc.isOpen = false;
      if (depth <= 2) page.isOpen = false;
    },
  });
  function takeBatch(): UrlBatch {
    const taken = batch;
    batch = newBatch();
    return taken;
  }
  return { reader, takeBatch };
}

function addLoc(batch: UrlBatch, { line, text, isBroken }: { line: number; text: string; isBroken: boolean }): void {
  const url = isBroken ? undefined : text.length < MAX_KEPT ? decodeReferences(text)?.trim() : text;
  if (url === undefined) addInvalid(batch, line, text.trim(), 'MALFORMED_ROW');
  else addRow(batch, { line, url, living: true });
}

/** Returns the namespace prefix of the root, with its colon. */
function prefixOf(name: string, root: Root, reader: XmlReader): string {
  const [, prefix = '', local = ''] = /^([^:]*:)?(.*)$/.exec(name) ?? [];
  if (local === root) return prefix;
  if (local !== 'sitemapindex')
    throw reader.broken(`the root element is <${name.slice(0, 60)}>; a sitemap has <urlset>`);
  const remedy = 'send each of its sitemaps as a part of one upload: POST .../urls/uploads';
  throw reader.broken(`it is a sitemap index, which has no pages; ${remedy}`, 'SITEMAP_INDEX');
}
