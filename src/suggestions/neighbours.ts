/** Targets of the decided pages of a folder. */
import { pathOf } from './spelling.ts';

/** Target that the neighbours of a page suggest; it may not exist. */
export interface NeighbourTarget {
  target: string;
  folder: string;
  /** pages of the folder that agree, and all decided pages of it */
  agree: number;
  of: number;
}

export type Neighbours = (url: string) => NeighbourTarget | null;

const MIN_DECISIONS = 3;
const MIN_SHARE = 0.8;

interface Folder {
  count: number;
  /** decided pages by the folder of their target, and by the target */
  folders: Map<string, number>;
  targets: Map<string, number>;
}

const folderOf = (path: string): string => path.replace(/\?.*$/s, '').replace(/[^/]*\/*$/, '');

/** Learns from decided pages; the result suggests a target if at least three pages of a folder and 80 % agree. */
export function learnNeighbours(decisions: Iterable<{ url: string; target: string }>): Neighbours {
  const folders = new Map<string, Folder>();
  for (const { url, target } of decisions) {
    const path = folderOf(pathOf(url));
    const folder = folders.get(path) ?? { count: 0, folders: new Map(), targets: new Map() };
    folder.count++;
    count(folder.folders, target.replace(/[^/]*\/*$/, ''));
    count(folder.targets, target);
    folders.set(path, folder);
  }
  return (url) => {
    const path = pathOf(url);
    const folder = folders.get(folderOf(path));
    if (!folder || folder.count < MIN_DECISIONS) return null;
    const [target = '', sameTarget = 0] = most(folder.targets);
    const [into = '', sameFolder = 0] = most(folder.folders);
    const isOnePage = sameTarget >= MIN_SHARE * folder.count;
    if (!isOnePage && sameFolder < MIN_SHARE * folder.count) return null;
    return {
      target: isOnePage ? target : into + path.slice(folderOf(path).length),
      folder: folderOf(path),
      agree: isOnePage ? sameTarget : sameFolder,
      of: folder.count,
    };
  };
}

const count = (counts: Map<string, number>, key: string): Map<string, number> =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

const most = (counts: Map<string, number>): [string, number] | [] =>
  [...counts].reduce<[string, number] | []>((best, entry) => (entry[1] > (best[1] ?? 0) ? entry : best), []);
