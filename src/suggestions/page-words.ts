/** The parts of a page that are compared. */
import { pathOf, squash, toAscii } from './spelling.ts';
import { wordsOf } from './words.ts';

export interface Page {
  /** canonical path with its query, or an absolute URL */
  url: string;
  title?: string | null;
  headline?: string | null;
  description?: string | null;
}

/** Segments of path and query in lower-case ASCII, without file extension and index page; the last is the name. */
export interface UrlParts {
  segments: string[];
  /** letters and digits of the name: equal for `API-change_rules` and `api change rules` */
  key: string;
  /** the name with its case, which separates words */
  name: string;
  /** extension of a document, '' for web pages */
  extension: string;
}

export interface PageWords extends UrlParts {
  words: { name: string[]; folders: readonly string[]; title: string[]; description: string[] };
}

const EXTENSION =
  /\.(html?|xhtml|shtml|php\d?|aspx?|jspx?|cfm|cgi|do|md|pdf|docx?|xlsx?|pptx?|odt|ods|odp|csv|txt|rtf|zip|xml|json)$/i;
const WEB_PAGE = /^(x?html?|shtml|php\d?|aspx?|jspx?|cfm|cgi|do|md)$/i;
const INDEX_PAGE = /^(index|default|home|welcome|main)$/i;
const MAX_TEXT = 600;

/** The folders of the last page: those of the next one are often the same. */
let last: { folders: string; words: readonly string[] } = { folders: '', words: [] };

export function pageWords(page: Page): PageWords {
  const parts = urlParts(page.url);
  const folders = parts.segments.slice(0, -1).join(' ');
  if (folders !== last.folders) last = { folders, words: wordsOf(folders) };
  return {
    ...parts,
    words: {
      name: wordsOf(parts.name),
      folders: last.words,
      title: textWords(page.title, page.headline),
      description: textWords(page.description),
    },
  };
}

function textWords(...texts: (string | null | undefined)[]): string[] {
  return texts.flatMap((text) => (text ? wordsOf(toAscii(text.slice(0, MAX_TEXT))) : []));
}

export function urlParts(url: string): UrlParts {
  const whole = pathOf(url);
  const path = whole.replace(/\?.*$/s, '');
  const query = whole.slice(path.length + 1);
  const segments = splitPath(path);
  // A query value that is a path or URL continues the path, and the page is about that document; other values belong
  // to the name.
  let isAbout = false;
  for (const pair of query === '' ? [] : query.split('&')) {
    const value = toAscii(pair.replace(/^[^=]*=/, ''));
    isAbout ||= value.includes('/');
    if (value.includes('/')) segments.push(...splitPath(pathOf(value)));
    else segments.push(`${segments.pop() ?? ''} ${value}`.trim());
  }
  let name = segments.pop() ?? '';
  let extension = '';
  for (let found = EXTENSION.exec(name); found; found = EXTENSION.exec(name)) {
    extension = isAbout || WEB_PAGE.test(found[1] ?? '') ? '' : (found[1] ?? '').toLowerCase();
    name = name.slice(0, found.index);
  }
  // Uploads that replace `%` write a space as `_20`.
  name = name.replace(/_20(?!\d)/g, ' ');
  if (INDEX_PAGE.test(name)) name = segments.pop() ?? '';
  segments.push(name);
  const lower = segments.map((segment) => segment.toLowerCase());
  return { segments: lower, key: squash(lower.at(-1) ?? ''), name, extension };
}

/** ASCII without escapes, as most URLs are. */
const PLAIN = /^[\x00-\x24\x26-\x7f]*$/;

function splitPath(path: string): string[] {
  const segments = path.split(/[:/]+/);
  if (segments[0] === '') segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return PLAIN.test(path) ? segments : segments.map(toAscii);
}
