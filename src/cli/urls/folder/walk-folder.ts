/** The pages and documents of a folder of a built website. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

const PAGE = /\.x?html?$/i;
/** Files that visitors open by their URL. Scripts, styles, images, fonts and feeds are parts of pages. */
const DOCUMENT = /\.(pdf|epub|docx?|xlsx?|pptx?|od[tsp])$/i;
/** The page that a server sends for an error, as generators name it. */
const ERROR_PAGE = /(^|\/)(404|500)(\.html?|\/index\.html?)$/i;

export interface SiteFile {
  /** below the folder, with slashes */
  file: string;
  isPage: boolean;
}

/**
 * Yields the files in the order of their names. Skips hidden files, node_modules and error pages, and does not follow a
 * symbolic link out of the folder or to a folder around it; `note` receives each.
 */
export async function* walkFolder(root: string, note: (line: string) => void): AsyncGenerator<SiteFile> {
  const top = await realpath(root);

  async function* walk(folder: string, around: string[]): AsyncGenerator<SiteFile> {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    const names = entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    for (const entry of names) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = folder + entry.name;
      const target = entry.isSymbolicLink() ? await targetOf(file, around) : entry;
      if (target?.isDirectory()) yield* walk(`${file}/`, [...around, await realpath(join(root, file))]);
      else if (target?.isFile() && !ERROR_PAGE.test(file)) yield* kindOf(file);
    }
  }

  async function targetOf(file: string, around: string[]) {
    const path = await realpath(join(root, file)).catch(() => undefined);
    if (path !== undefined && path.startsWith(top + sep) && !around.includes(path)) return stat(path);
    note(`${file}: the symbolic link is not followed, because it leads out of the folder, to a parent or to nothing`);
    return undefined;
  }

  yield* walk('', [top]);
}

function* kindOf(file: string): Generator<SiteFile> {
  const isPage = PAGE.test(file);
  if (isPage || DOCUMENT.test(file)) yield { file, isPage };
}
