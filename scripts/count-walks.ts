/**
 * Counts the files that each walk of docs/ARCHITECTURE.md enters. The document names the stations of a walk; the files
 * between two stations are those of the shortest way through the imports. `node scripts/count-walks.ts` prints them.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Imports of values. Types lead nowhere at run time. */
const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\)/gms;
/** Every file uses them, so a way through them says nothing. */
const SHARED = /^(vocabulary|platform|db)\//;

export interface Walk {
  title: string;
  /** all files entered, in order, below src/ */
  files: string[];
  /** stations that no import leads to: a message, a query or a callback does */
  jumps: string[];
}

/** Maps each file to the files whose values it imports. Paths are below src/. */
function readImports(): Map<string, string[]> {
  return new Map(
    globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((file) => {
      const text = readFileSync(join(ROOT, 'src', file), 'utf8');
      const names = [...text.matchAll(IMPORT)].map(([, name = '', lazy = '']) => name || lazy);
      return [file, names.map((name) => join(dirname(file), name))];
    }),
  );
}

/** The fewest files from one of `entered` to `end`, without the first. Undefined if no import leads there. */
function shortestWay(
  imports: ReadonlyMap<string, string[]>,
  entered: ReadonlySet<string>,
  end: string,
): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [...entered];
  for (const file of queue) {
    if (file === end) {
      const way: string[] = [];
      for (let at: string | undefined = end; at !== undefined && !entered.has(at); at = cameFrom.get(at))
        way.unshift(at);
      return way;
    }
    for (const next of imports.get(file) ?? []) {
      if (entered.has(next) || cameFrom.has(next) || (next !== end && SHARED.test(next))) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function follow(imports: ReadonlyMap<string, string[]>, title: string, stations: string[]): Walk {
  const entered = new Set<string>();
  const jumps: string[] = [];
  for (const station of stations) {
    const way = shortestWay(imports, entered, station);
    if (!way && entered.size > 0) jumps.push(station);
    for (const file of way ?? [station]) entered.add(file);
  }
  return { title, files: [...entered], jumps };
}

/** The walks of the document, in its order. */
export function countWalks(): Walk[] {
  const map = readFileSync(join(ROOT, 'docs', 'ARCHITECTURE.md'), 'utf8');
  const walks = (map.split('## Walks')[1]?.split(/^## /m)[0] ?? '').split(/^(?=\*\*)/m).slice(1);
  const imports = readImports();
  return walks.map((walk) => {
    const cells = [...walk.matchAll(/^\d+\. (`.*(?:\n {3}.*)*)$/gm)].map(([, row = '']) => row);
    const stations = cells.flatMap((row) => [...row.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = '']) => path));
    return follow(imports, /\*\*(.*?)\*\*/.exec(walk)?.[1] ?? '', stations);
  });
}

if (import.meta.main) {
  for (const { title, files, jumps } of countWalks()) {
    const note = jumps.length > 0 ? `; no import leads to ${jumps.join(', ')}` : '';
    console.log(`${String(files.length).padStart(3)} files: ${title}${note}\n    ${files.join(' ')}`);
  }
}
