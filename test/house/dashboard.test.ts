/** The dashboard is a tree of its own: of the service it knows the vocabulary, and the types of what the surfaces send. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

interface Import {
  file: string;
  isType: boolean;
  /** relative to the project's root; a package by its name */
  target: string;
}

const imports: Import[] = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:^import( type)?\b[^;']*?|\bimport\()'([^']+)'/gm)].map(
    ([, type, target = '']) => ({
      file,
      isType: type !== undefined,
      target: target.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), target)) : target,
    }),
  );
});

const strays = (allowed: (one: Import) => boolean): string[] =>
  imports.filter((one) => !allowed(one)).map(({ file, target }) => `${file} -> ${target}`);

test('it takes from the service values of the vocabulary, and types of the surfaces', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(
    strays(({ target, isType }) => {
      if (!target.startsWith('src/')) return true;
      return target.startsWith('src/vocabulary/') || (isType && target.startsWith('src/surfaces/'));
    }),
  ).toEqual([]);
});

test('it takes from packages Preact, its signals and the charts, and types alone of any other', () => {
  const taken = /^(preact(\/hooks)?|@preact\/signals|uplot)(\/|$)/;
  expect(
    strays(({ target, isType }) => /^(src|dashboard)\//.test(target) || taken.test(target) || isType),
  ).toEqual([]);
});

test('nothing of the service is built from the dashboard', () => {
  const users = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /from '[./]+dashboard\/src\//.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(users).toEqual([]);
});
