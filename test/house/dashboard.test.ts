/** The dashboard is a separate tree: it imports values only from vocabulary, and types only from the surfaces. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

interface Import {
  file: string;
  isType: boolean;
  /** path relative to the project's root, or the name of a package */
  target: string;
}

const imports: Import[] = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:^import( type)?\b[^;']*?|\bimport\()'([^']+)'/gm)].map(([, type, target = '']) => ({
    file,
    isType: type !== undefined,
    target: target.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), target)) : target,
  }));
});

const strays = (allowed: (one: Import) => boolean): string[] =>
  imports.filter((one) => !allowed(one)).map(({ file, target }) => `${file} -> ${target}`);

test('the dashboard imports values of vocabulary and types of the surfaces', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(
    strays(({ target, isType }) => {
      if (!target.startsWith('src/')) return true;
      return target.startsWith('src/vocabulary/') || (isType && target.startsWith('src/surfaces/'));
    }),
  ).toEqual([]);
});

test('the dashboard imports Preact, its signals and qr, and only types of other packages', () => {
  const taken = /^(preact(\/hooks)?|@preact\/signals|qr)(\/|$)/;
  expect(strays(({ target, isType }) => /^(src|dashboard)\//.test(target) || taken.test(target) || isType)).toEqual([]);
});

test('the service does not import the dashboard', () => {
  const users = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /from '[./]+dashboard\/src\//.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(users).toEqual([]);
});
