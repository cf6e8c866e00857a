/** Searches src and the dashboard for files that import each other in a circle, types and lazy imports included. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Maps each file to the files that it imports. Paths are relative to the root. */
function readImports(): Map<string, string[]> {
  const files = globSync('{src,dashboard/src}/**/*.{ts,tsx}', { cwd: ROOT });
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return [file, [...text.matchAll(IMPORT)].map(([, name = '']) => join(dirname(file), name))];
    }),
  );
}

/** Tarjan's strongly connected components of more than one file. */
function findCircles(imports: ReadonlyMap<string, string[]>): string[][] {
  const index = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    const number = index.size;
    index.set(file, number);
    let lowest = number;
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? lowest);
    }
    if (lowest === number) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return lowest;
  }
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return circles;
}

test('no file imports itself through others', () => {
  const imports = readImports();
  expect(imports.size).toBeGreaterThan(900);
  expect(findCircles(imports)).toEqual([]);
});

test('a circle of two files, and one of three, is found', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['a', 'c']],
    ['c', ['d']],
    ['d', ['e']],
    ['e', ['c', 'f']],
    ['f', []],
  ]);
  expect(findCircles(imports).toSorted()).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});
