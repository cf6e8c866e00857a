/** A pasted list of URLs, each with what it is expected to respond; and whether a result is that. */
import { askedUrl } from '../../asked-url.ts';
import type { ResolvedUrls, Website } from '../../api/client/wire.ts';

export type ResolvedUrl = ResolvedUrls['results'][number];

/** The response that a line expects of its URL; undefined: any. */
export interface Expected {
  target: string | undefined;
  status: number | undefined;
}

export interface TestLine {
  /** from 1 */
  line: number;
  url: string;
  expected: Expected | undefined;
}

/** A line that cannot be tested. */
export interface WrongLine {
  line: number;
  message: string;
}

interface ReadLines {
  lines: TestLine[];
  errors: WrongLine[];
}

/** Between the columns of a line without tabs. A comma in a URL separates only before another URL, or a last status. */
const SEPARATOR = /\s*[,;]\s*(?=["/,;]|https?:)|[,;](?=\d{3}$)(?<=[,;\s](?:["/,;]|https?:).*)|[,;]?\s+/i;
const TARGET = /^(?:\/|https?:\/\/)/i;
const STATUS = /^[1-5]\d\d$/;

/** Reads `URL`, `URL target`, `URL status` or `URL target status` a line. A first line without a URL is a heading. */
export function readLines(text: string): ReadLines {
  const read: ReadLines = { lines: [], errors: [] };
  const written = text.split('\n').map((content, at) => ({ line: at + 1, content: content.trim() }));
  for (const [at, { line, content }] of written.filter((each) => each.content !== '').entries()) {
    if (at === 0 && !content.includes('/')) continue;
    const cells = content.split(content.includes('\t') ? '\t' : SEPARATOR).map(cellText);
    const [url = '', ...rest] = cells;
    const expected = readExpected(rest);
    if (typeof expected === 'string') read.errors.push({ line, message: expected });
    else if (!TARGET.test(url)) {
      read.errors.push({ line, message: `“${url}” is not a URL or path: begin it with / or https://` });
    } else read.lines.push({ line, url, expected });
  }
  return read;
}

/** The lines of the website; those of other hosts are errors. A website with many hosts has only the first ones here. */
export function ownLines({ lines, errors }: ReadLines, website: Website): ReadLines {
  if (website.hosts.length < website.host_count) return { lines, errors };
  const own: ReadLines = { lines: [], errors: [...errors] };
  for (const each of lines) {
    const asked = askedUrl(each.url, [website], website);
    if (!asked || asked.website) own.lines.push(each);
    else own.errors.push({ line: each.line, message: `${asked.hostname} is not a host of ${website.name}` });
  }
  own.errors.sort((a, b) => a.line - b.line);
  return own;
}

/** The text without these lines, which count from 1. */
export const withoutLines = (text: string, lines: readonly number[]): string =>
  text
    .split('\n')
    .filter((_, at) => !lines.includes(at + 1))
    .join('\n');

const cellText = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');

/** Reads the cells after the URL. Returns a text if one of them is wrong. */
function readExpected(cells: readonly string[]): Expected | undefined | string {
  const given = cells.filter((cell) => cell !== '');
  const [status, target] = [given.find((cell) => STATUS.test(cell)), given.find((cell) => TARGET.test(cell))];
  const other = given.find((cell) => cell !== status && cell !== target);
  if (other !== undefined) {
    return `“${other}” is not a target or a status: after the URL, write at most one target and one status, such as 301`;
  }
  return given.length === 0 ? undefined : { target, status: status === undefined ? undefined : Number(status) };
}

/**
 * Whether a URL responds as expected. The target is the first Location or the end of the chain. A path is equal to its
 * URL on a host of the website.
 */
export function isAsExpected(result: ResolvedUrl, { target, status }: Expected, hosts: ReadonlySet<string>): boolean {
  if (status !== undefined && status !== result.status_code) return false;
  if (target === undefined) return true;
  if (result.outcome === 'loop' || result.outcome === 'too-many' || result.location === null) return false;
  const wanted = addressOf(target, hosts);
  return [result.location, result.final_url].some((reached) => addressOf(reached, hosts) === wanted);
}

/** The path on an own host, otherwise the URL. */
function addressOf(text: string, hosts: ReadonlySet<string>): string {
  const url = URL.parse(text, 'https://own.example');
  if (!url) return text;
  const { hostname } = url;
  const isOwn = hostname === 'own.example' || hosts.has(hostname) || hosts.has(hostname.replace(/^[^.]+/, '*'));
  return isOwn ? url.pathname + url.search + url.hash : url.href;
}
