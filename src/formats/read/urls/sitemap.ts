import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { type DomainError, invalid } from '../../../vocabulary/error.ts';
import { addInvalid, addRow, newBatch } from './make-row.ts';
import { createStrictParser, type ElementHandler, NotWellFormed } from './strict-parser.ts';
import type { UrlBatch } from './url-row.ts';
import { decodeXmlText, escapeXmlText, NOT_XML } from './xml-text.ts';

/** Characters of an address that are kept: enough to show that it is too long. */
const MAX_KEPT = 32 * 1024;
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/;
const ENCODINGS = /^(utf-?8|utf-?16(le|be)?|us-ascii)$/i;

/**
 * Yields the pages of a sitemap, given as UTF-8. Throws INVALID_XML with the line, DTD_NOT_ALLOWED or SITEMAP_INDEX.
 * `start` is the beginning of its text.
 */
export async function* readSitemap(chunks: AsyncIterable<Buffer>, start: string): AsyncGenerator<UrlBatch> {
  const declared = DECLARED.exec(start)?.[1];
  if (declared !== undefined && !ENCODINGS.test(declared))
    throw invalidXml(1, `the encoding ${JSON.stringify(declared.slice(0, 60))} is declared; save the sitemap as UTF-8`);
  const document = createDocument();
  const slice = createTimeSlice();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of chunks) {
    document.write(() => decoder.decode(chunk, { stream: true }));
    yield document.takeBatch();
    if (slice.isOver()) await slice.yield();
  }
  document.write(() => decoder.decode());
  document.end();
  yield document.takeBatch();
}

/** Lines of the document, counted up to the last tag in question. */
function createLineCount() {
  let [text, from, counted, line] = ['', 0, 0, 1];
  const count = (end: number): number => {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < end; at = text.indexOf('\n', counted)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
  return {
    next(chunk: string): void {
      count(text.length);
      from += text.length;
      counted = 0;
      text = chunk;
    },
    /** The line of a character of the document; of its chunk, if that is not the current one. */
    at: (position: number): number => count(position - from),
    /** The line of a character of the current chunk. */
    inChunk: count,
  };
}

function createDocument() {
  const lines = createLineCount();
  const pages = createPages(() => lines.at(parser.position()));
  const parser = createStrictParser(pages, () => {
    throw invalid(
      'body',
      `line ${lines.at(parser.position())}: remove the DOCTYPE from the sitemap`,
      'DTD_NOT_ALLOWED',
    );
  });
  /** Names the line of an error. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof NotWellFormed)) throw error;
      throw invalidXml(lines.at(parser.position()), error.message);
    }
  };
  return {
    write(decode: () => string): void {
      guarded(() => {
        const text = decodeOrFail(decode);
        lines.next(text);
        const broken = text.search(NOT_XML);
        if (broken >= 0) throw invalidXml(lines.inChunk(broken), 'it has a control character; remove it');
        parser.write(text);
      });
    },
    end: (): void => guarded(() => parser.end()),
    takeBatch: pages.takeBatch,
  };
}

function decodeOrFail(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new NotWellFormed('the sitemap is not valid UTF-8 or UTF-16 from here on');
  }
}

/** Collects the text of `urlset/url/loc`, in the namespace prefix of the root. Other elements are extensions. */
function createPages(currentLine: () => number) {
  let batch = newBatch();
  let prefix = '';
  const page = { line: 0, isOpen: false, hasLoc: false };
  const loc = { line: 0, isOpen: false, isBroken: false, text: '' };
  const handler: ElementHandler = {
    open(name, depth) {
      if (depth === 1) prefix = assertRoot(name, currentLine());
      else if (depth === 2 && name === `${prefix}url`)
        Object.assign(page, { line: currentLine(), isOpen: true, hasLoc: false });
      else if (depth === 3 && page.isOpen && name === `${prefix}loc`)
        Object.assign(loc, { line: currentLine(), isOpen: true, isBroken: false, text: '' });
      else if (loc.isOpen) loc.isBroken = true;
    },
    text(text, depth, isCdata) {
      if (loc.isOpen) {
        if (loc.text.length < MAX_KEPT) loc.text += (isCdata ? escapeXmlText(text) : text).slice(0, MAX_KEPT);
      } else if (text.trim() !== '' && (depth === 1 || (depth === 2 && page.isOpen)))
        throw new NotWellFormed('there is text between the elements of the sitemap');
    },
    close(_name, depth) {
      if (depth === 3 && loc.isOpen) {
        loc.isOpen = false;
        page.hasLoc = true;
        addLoc(batch, loc);
      } else if (depth === 2 && page.isOpen) {
        page.isOpen = false;
        if (!page.hasLoc) addInvalid(batch, page.line, '', 'MISSING_PARAMETER');
      }
    },
  };
  const takeBatch = (): UrlBatch => {
    const taken = batch;
    batch = newBatch();
    return taken;
  };
  return { ...handler, takeBatch };
}

function addLoc(batch: UrlBatch, { line, text, isBroken }: { line: number; text: string; isBroken: boolean }): void {
  const isLong = text.length >= MAX_KEPT;
  const url = isBroken ? undefined : isLong ? text : decodeXmlText(text)?.trim();
  if (url === undefined) addInvalid(batch, line, text.trim(), 'MALFORMED_ROW');
  else addRow(batch, { line, url, living: true });
}

/** Returns the namespace prefix of the root, with its colon. */
function assertRoot(name: string, line: number): string {
  const [, prefix = '', root = ''] = /^([^:]*:)?(.*)$/.exec(name) ?? [];
  if (root === 'urlset') return prefix;
  if (root === 'sitemapindex') {
    const remedy = 'send each of its sitemaps as a part of one upload: POST .../urls/uploads';
    throw invalid('body', `it is a sitemap index, which has no pages; ${remedy}`, 'SITEMAP_INDEX');
  }
  throw invalidXml(line, `the root element is <${name.slice(0, 60)}>; a sitemap has <urlset>`);
}

function invalidXml(line: number, message: string): DomainError {
  return invalid('body', `line ${line}: ${message}`, 'INVALID_XML');
}
