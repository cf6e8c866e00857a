/** Reads one built HTML page as a stream: what it says about itself, its links and its anchors. */
import { createReadStream } from 'node:fs';
import { Parser } from 'htmlparser2';

/** Longer texts are cut: they are shown and compared, and identify nothing. */
const MAX_TEXT = 500;
/** Elements whose titles and meta elements are not those of the page. */
const APART = ['svg', 'noscript', 'template'];

export interface Page {
  title: string;
  /** the meta description */
  description: string;
  /** the first h1 */
  headline: string;
  noindex: boolean;
  /** as the page writes it */
  canonical?: string;
  /** the target of a meta refresh: generators write such a page for a moved one */
  refresh?: string;
  /** of the base element */
  base?: string;
}

export interface PageEvents {
  /** a link with the line of its tag */
  onLink?(href: string, line: number): void;
  /** an id, or the name of an `a` */
  onAnchor?(name: string): void;
}

type Attributes = Record<string, string>;

/** Reads a file in UTF-8. Only a chunk of it is in memory. */
export async function readPage(path: string, events: PageEvents = {}): Promise<Page> {
  const page: Page = { title: '', description: '', headline: '', noindex: false };
  const lines = createLineCounter();
  let apart = 0;
  /** the field whose text is read */
  let field: 'title' | 'headline' | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (APART.includes(name)) apart++;
      readLinks(name, attributes, events, () => lines.at(parser.startIndex));
      if (apart > 0 || field) return;
      readHead(name, attributes, page);
      if (name === 'title' && page.title === '') field = 'title';
      if (name === 'h1' && page.headline === '') field = 'headline';
    },
    ontext(text) {
      if (field && apart === 0 && page[field].length < MAX_TEXT * 4) page[field] += text;
    },
    onclosetag(name) {
      if (APART.includes(name)) apart = Math.max(apart - 1, 0);
      if (name === (field === 'headline' ? 'h1' : field)) field = undefined;
    },
  });
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    lines.add(chunk);
    parser.write(chunk);
  }
  parser.end();
  const { title, description, headline } = page;
  return { ...page, title: short(title), description: short(description), headline: short(headline) };
}

function readLinks(name: string, attributes: Attributes, events: PageEvents, line: () => number): void {
  const { id, href } = attributes;
  if (id) events.onAnchor?.(id);
  if (name === 'a' && attributes['name']) events.onAnchor?.(attributes['name']);
  if ((name === 'a' || name === 'area') && href !== undefined) events.onLink?.(href.trim(), line());
}

function readHead(name: string, attributes: Attributes, page: Page): void {
  const { href, content = '' } = attributes;
  if (name === 'base' && href !== undefined) page.base ??= href.trim();
  if (name === 'link' && href && wordsOf(attributes['rel']).includes('canonical')) page.canonical ??= href.trim();
  // Next.js writes this page for a route that redirects; its scripts lead on.
  if (name === 'html' && attributes['id'] === '__next_error__') page.noindex = true;
  if (name !== 'meta') return;
  const kind = attributes['name']?.toLowerCase();
  if (kind === 'description') page.description ||= content;
  if (kind === 'robots' || kind === 'googlebot') {
    page.noindex ||= wordsOf(content).some((word) => word === 'noindex' || word === 'none');
  }
  if (attributes['http-equiv']?.toLowerCase() !== 'refresh') return;
  const target = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content)?.[1]?.trim();
  if (target) page.refresh ??= target;
}

const wordsOf = (text = ''): string[] => text.toLowerCase().split(/[\s,]+/);

/** In one line, without the sign of a link to the heading that generators add. */
function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/[\s\u200b\u00b6\uf0c1]+$/, '');
  return line.trim().slice(0, MAX_TEXT);
}

/** Lines of positions that only rise. */
function createLineCounter() {
  let [length, line] = [0, 1];
  /** line ends after the last position */
  let ends: number[] = [];
  return {
    add(chunk: string): void {
      for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) ends.push(length + at);
      length += chunk.length;
    },
    at(position: number): number {
      const passed = ends.findIndex((end) => end >= position);
      line += passed < 0 ? ends.length : passed;
      ends = passed < 0 ? [] : ends.slice(passed);
      return line;
    },
  };
}
