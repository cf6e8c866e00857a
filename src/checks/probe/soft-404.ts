/** Pages that say "not found" with status 200, found by comparison with a page that cannot exist. */
import { createHash } from 'node:crypto';
import { unescape } from 'node:querystring';
import { Parser } from 'htmlparser2';

const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** Characters of a segment that a page is searched for. */
const MIN_SEGMENT = 4;

/**
 * Returns a random sibling of a URL in its folder: the last segment is replaced, its extension and final slash stay.
 * Null for a start page, which has no sibling. `random` is a word.
 */
export function siblingOf(url: URL, random: string): string | null {
  if (url.pathname === '/' && url.search === '') return null;
  const [, folder = '/', , extension = '', slash = ''] = /^(.*?\/)?([^/]*?)(\.\w{1,5})?(\/?)$/.exec(url.pathname) ?? [];
  return new URL(`${folder}${random}${extension}${slash}`, url.origin).href;
}

/**
 * Reads a page into its fingerprint, which is equal for pages of equal title and text apart from the address. Other
 * content than HTML is compared as it is. A call blocks for its chunk: 8 KiB of hostile HTML take 12 ms.
 */
export function createFingerprint(url: URL, contentType: string) {
  const decoder = new TextDecoder();
  const isHtml = /^(text\/html|application\/xhtml\+xml|\s*$)/.test(contentType);
  let title = '';
  let text = '';
  let isTitle = false;
  let hidden = 0;
  const parser = new Parser({
    onopentag(name) {
      if (HIDDEN.has(name)) hidden++;
      isTitle = name === 'title' && hidden === 0;
    },
    ontext(part) {
      if (isTitle) title += part;
      else if (hidden === 0) text += part;
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden--;
      if (name === 'title') isTitle = false;
      // Words of two elements do not join.
      else text += ' ';
    },
  });
  const write = (part: string) => (isHtml ? parser.write(part) : (text += part));
  return {
    write: (chunk: Buffer): void => void write(decoder.decode(chunk, { stream: true })),
    end(): string {
      write(decoder.decode());
      parser.end();
      const plain = withoutAddress(`${title}\0${text}`, url);
      return createHash('sha256').update(plain.replace(/\s+/g, ' ')).digest('base64');
    },
  };
}

/**
 * Removes the forms of the address that a page quotes: all of it, its path, its last segment with and without suffix.
 * Shorter segments stay, because other words contain them.
 */
function withoutAddress(text: string, { href, pathname, search }: URL): string {
  const segment = pathname.split('/').findLast((part) => part !== '') ?? '';
  const segments = [segment, segment.replace(/\.\w+$/, '')].filter(({ length }) => length >= MIN_SEGMENT);
  const forms = [href, pathname + search, pathname, ...segments].filter((form) => form !== '/');
  const spellings = new Set([...forms, ...forms.map(unescape)]);
  const longestFirst = [...spellings].toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, form) => rest.replaceAll(form, ''), text);
}
