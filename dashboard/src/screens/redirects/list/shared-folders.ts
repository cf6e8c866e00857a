/** The folders that most paths of the list share: rows hide them, and a line above the rows names them once. */
import type { Redirect } from '../../../api/client/wire.ts';
import { sharedFolder } from '../../../ui/text/path-parts.ts';

/** A shorter folder gains too little room to be hidden. */
const MIN_FOLDER = 9;

type Paths = Pick<Redirect, 'old_path' | 'new_path'>;

export interface Folders {
  from: string;
  to: string;
}

/** The folders of most sources and of most targets on this website; '' without one that is worth hiding. */
export function foldersOf(rows: readonly Paths[]): Folders {
  const targets = rows.flatMap(({ new_path: path }) => (path?.startsWith('/') ? [path] : []));
  return { from: hideable(rows.map(({ old_path: path }) => path)), to: hideable(targets) };
}

function hideable(paths: readonly string[]): string {
  const folder = sharedFolder(paths);
  return folder.length >= MIN_FOLDER ? folder : '';
}

/** A line above the rows. `text` is before the folder. */
export interface FolderLine {
  text: string;
  folder: string;
}

/**
 * Names the hidden folders. A list of which all paths are loaded and begin alike says so; otherwise the line explains
 * the ellipsis.
 */
export function folderLines({ from, to }: Folders, rows: readonly Paths[], hasMore: boolean): FolderLine[] {
  const targets = rows.flatMap(({ new_path: path }) => path ?? []);
  const isAll = (paths: readonly string[], folder: string): boolean =>
    !hasMore && paths.every((path) => path.startsWith(folder));
  const line = (noun: string, folder: string, all: boolean): FolderLine[] => {
    if (folder === '') return [];
    return [{ text: all ? `All ${noun} begin with` : `In ${noun}, /…/ is`, folder }];
  };
  const sources = rows.map(({ old_path: path }) => path);
  const areAll = { from: isAll(sources, from), to: isAll(targets, to) };
  if (from === to) return line('paths', from, areAll.from && areAll.to);
  return [...line('sources', from, areAll.from), ...line('targets', to, areAll.to)];
}
