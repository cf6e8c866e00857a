/** The sources of a list of URLs: a folder of built HTML, a file, or a sitemap. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Context, isOn, text } from '../command.ts';
import { UsageError } from '../errors.ts';
import type { OptionSpec } from '../options.ts';
import { withProgress } from '../progress.ts';
import type { Website } from '../website.ts';
import type { LinkCollector } from './folder/links.ts';
import { baseOf, type Place, resolveUrl } from './folder/page-url.ts';
import { readFolder } from './folder/read-folder.ts';
import { createFetchFile, type FetchFile } from './sitemap/fetch-file.ts';
import { readChildSitemaps } from './sitemap/child-sitemaps.ts';
import { spoolLines } from './spool.ts';

/** Options that say how a folder becomes URLs. */
export const SOURCE_OPTIONS: Record<string, OptionSpec> = {
  base: { value: 'PATH|URL', help: 'The URL of the folder, such as /docs/. Default /.' },
  'clean-urls': { help: 'The website serves a.html as /a. Default: as the canonical of the page says, else /a.html.' },
  list: { value: 'NAME', help: 'The list of living pages. Default main.' },
  'from-hosts': { value: 'LIST', help: 'Further hosts whose URLs count as those of the website.' },
};

export type SourceKind = 'folder' | 'file' | 'sitemap';

/** Throws a UsageError if the source does not exist. */
export async function kindOfSource(source: string): Promise<SourceKind> {
  if (/^https?:\/\//i.test(source)) return 'sitemap';
  const found = await stat(source).catch(() => undefined);
  if (!found) throw new UsageError(`${source} does not exist: name a folder, a file or the URL of a sitemap`);
  return found.isDirectory() ? 'folder' : 'file';
}

/** The URL of the folder by `--base`, and the hosts that are the website's. */
export function placeOfFolder(context: Context, { hosts }: Website): Place {
  const further = (text(context, 'from-hosts') ?? '').split(',').filter(Boolean);
  return {
    base: baseOf(text(context, 'base')),
    cleanUrls: isOn(context, 'clean-urls'),
    hosts: new Set([...hosts.map(({ hostname }) => hostname), ...further].map((host) => host.toLowerCase())),
  };
}

/** Reads a folder into files of at most `rowsPerFile` rows below `temp`. Shows the number of pages meanwhile. */
export async function spoolFolder(
  { terminal }: Context,
  folder: { root: string; place: Place; links?: LinkCollector },
  temp: string,
  rowsPerFile: number,
): Promise<string[]> {
  return withProgress(terminal.stderr, (show) => {
    const onFile = (count: number): void => show(`reading page ${count.toLocaleString('en')}`);
    return spoolLines(readFolder({ ...folder, note: terminal.note, onFile }), temp, rowsPerFile);
  });
}

/** Downloads a sitemap below `temp`. The files of an index are downloaded one by one, and deleted after their use. */
export async function fetchSitemap(address: string, temp: string) {
  const url = resolveUrl(address, new URL('http://none.invalid'));
  if (!url || url.username) throw new UsageError(`"${address}" is not the URL of a sitemap without a password`);
  const fetchFile = createFetchFile(url);
  const path = join(temp, 'sitemap');
  const children = await readChildSitemaps(path, await fetchFile(url, path));
  if (!children) return { files: [path], parts: 1 };
  return { files: childFiles(fetchFile, children, temp), parts: children.length };
}

async function* childFiles(fetchFile: FetchFile, children: URL[], temp: string): AsyncGenerator<string> {
  for (const [index, child] of children.entries()) {
    const path = join(temp, `sitemap-${index}`);
    await fetchFile(child, path);
    yield path;
    await rm(path);
  }
}
