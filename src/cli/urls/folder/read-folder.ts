/** A folder of built HTML as a list of URLs: one line of JSON for each page and document. */
import { join } from 'node:path';
import { CommandError } from '../../errors.ts';
import type { LinkCollector } from './links.ts';
import { isSamePage, type Place, resolveUrl, textOf, urlOfFile } from './page-url.ts';
import { type Page, readPage } from './read-page.ts';
import { walkFolder } from './walk-folder.ts';

export interface FolderReading {
  root: string;
  place: Place;
  links?: LinkCollector;
  note(line: string): void;
  /** the number of files so far */
  onFile?(count: number): void;
}

/** Yields the lines. Throws a CommandError if the folder has no page. */
export async function* readFolder({ root, place, links, note, onFile }: FolderReading): AsyncGenerator<string> {
  let [count, pages] = [0, 0];
  for await (const { file, isPage } of walkFolder(root, note)) {
    onFile?.(++count);
    const url = urlOfFile(file, place);
    if (isPage) pages++;
    const row = isPage ? await pageRow(root, file, url, place, links) : { url: textOf(url) };
    yield `${JSON.stringify(row)}\n`;
  }
  if (pages === 0) throw new CommandError(`${root} has no HTML page: build the website first, or name its folder`);
}

async function pageRow(root: string, file: string, url: URL, place: Place, links: LinkCollector | undefined) {
  const reader = links?.startPage(file, url);
  const page = await readPage(join(root, file), reader?.events);
  reader?.end(page.base);
  const { title, description, headline, noindex } = page;
  return {
    ...address(page, url, place),
    ...(title && { title }),
    ...(description && { description }),
    ...(headline && { headline }),
    ...(noindex && { noindex }),
  };
}

/**
 * The spelling of the canonical counts if it names this page. Otherwise it is another page, as is the target of a meta
 * refresh, and the service does not take the page for living.
 */
function address({ canonical, refresh, base }: Page, url: URL, place: Place): { url: string; canonical?: string } {
  const from = (base !== undefined && resolveUrl(base, url)) || url;
  const named = canonical ? resolveUrl(canonical, from) : undefined;
  const target = refresh ? resolveUrl(refresh, from) : undefined;
  const other = [target, named].find((one) => one && !isSamePage(one, url, place));
  if (other) return { url: textOf(url), canonical: textOf(other) };
  if (!named) return { url: textOf(url) };
  const spelled = new URL(url);
  spelled.pathname = named.pathname.replace(/\/index\.x?html?$/i, '/');
  return { url: textOf(spelled) };
}
