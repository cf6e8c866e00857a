/** Between the files of a folder and their URLs. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';

/** Stands for the host if `--base` names none. */
const NO_ORIGIN = 'http://folder.invalid';

export interface Place {
  /** the URL of the folder, with a slash at the end */
  base: URL;
  cleanUrls: boolean;
  /** hosts whose URLs are those of the folder, beside the one of `base` */
  hosts: ReadonlySet<string>;
}

/** The URL of `--base`. Throws a UsageError for anything else than a path or an http URL. */
export function baseOf(value = '/'): URL {
  const url = /^(\/(?!\/)|https?:\/\/)/i.test(value) ? resolveUrl(value, new URL(NO_ORIGIN)) : undefined;
  if (!url || url.search || url.hash || url.username) {
    throw new UsageError(`--base must be a path such as /docs/, or a URL without a query; it is "${value}"`);
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The URL of a file: `a/index.html` is `/a/`; with `--clean-urls`, `a.html` is `/a`. */
export function urlOfFile(file: string, { base, cleanUrls }: Place): URL {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/s.exec(file) ?? [];
  const last = /^index\.x?html?$/i.test(name) ? '' : cleanUrls ? name.replace(/\.x?html?$/i, '') : name;
  return new URL(base.href + encodeURI(folder + last).replace(/[?#]/g, encodeURIComponent));
}

/** A path, or a URL if `--base` names a host or it is another one. */
export function textOf(url: URL): string {
  return url.origin === NO_ORIGIN ? url.pathname + url.search : url.href;
}

/** The URL of an address on a page; undefined if it is invalid, or neither http nor https. */
export function resolveUrl(address: string, from: URL): URL | undefined {
  const url = URL.canParse(address, from.href) ? new URL(address, from) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

const isOwn = (url: URL, { base, hosts }: Place): boolean => url.host === base.host || hosts.has(url.hostname);

/** True if a URL may be that of a file of the folder. */
export function isInside(url: URL, place: Place): boolean {
  return isOwn(url, place) && `${url.pathname}/`.startsWith(place.base.pathname);
}

/** True for spellings of one page, such as `/a`, `/a/`, `/a.html` and `/a/index.html`. */
export function isSamePage(one: URL, other: URL, place: Place): boolean {
  const keyOf = ({ pathname, search }: URL): string =>
    decoded(pathname).replace(/((^|\/)index)?\.x?html?$|\/$/i, '') + search;
  return [one, other].every((url) => isOwn(url, place)) && keyOf(one) === keyOf(other);
}

/** The file that a web server answers with, or undefined. */
export async function fileOfUrl(root: string, path: string, { base }: Place): Promise<string | undefined> {
  const file = decoded(path.slice(base.pathname.length)).replaceAll('\0', '');
  const plain = file.replace(/\/$/, '');
  const pages = plain === '' ? ['index.html'] : [`${plain}/index.html`, `${plain}.html`];
  for (const name of file === plain && plain !== '' ? [plain, ...pages] : pages) {
    const found = await stat(join(root, name)).catch(() => undefined);
    if (found?.isFile()) return name;
  }
  return undefined;
}

/** Invalid escapes stay. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
