/**
 * Tests lie where their rule lies: src/a/b.ts has the test test/a/b.test.ts, or a test in test/a, or in the room around
 * it, imports the file or names it in its first comment (`namesIn`).
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** The fewest files of src that have their test. */
const MIN_FILES = 500;

interface Test {
  file: string;
  /** Files of src that its first comment names. */
  named: string[];
  imported: string[];
}

/** "Holds the rules of src/a/b.ts, c.ts and src/d/e.ts." A name without a folder lies in the folder before it. */
function namesIn(comment: string): string[] {
  let folder = '';
  return [...comment.matchAll(/Holds the rules of (.+?\.ts)\.(?:\s|$)/g)].flatMap(([, list = '']) =>
    list.split(/, | and /).map((name) => {
      if (name.includes('/')) folder = dirname(name);
      return join(folder, basename(name));
    }),
  );
}

const tests: Test[] = globSync('test/**/*.test.ts', { cwd: ROOT }).map((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1]?.replace(/\s*\n \*\s*/g, ' ') ?? '';
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return {
    file,
    named: namesIn(comment.trim()),
    imported: imports.map(([, name = '']) => join(dirname(file), name)),
  };
});

const pathOf = (source: string): string => source.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');

const isInRoom = (test: string, source: string): boolean => {
  const room = dirname(pathOf(source));
  return [room, dirname(room)].includes(dirname(test));
};

const isHeld = (source: string): boolean =>
  existsSync(join(ROOT, pathOf(source))) ||
  tests.some(
    ({ file, named, imported }) => isInRoom(file, source) && (named.includes(source) || imported.includes(source)),
  );

test('a file that a test names exists, and the test lies in its room', () => {
  const wrong = tests.flatMap(({ file, named }) =>
    named.filter((name) => !existsSync(join(ROOT, name)) || !isInRoom(file, name)).map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test(`at least ${MIN_FILES} files of src have a test at their path, or are named by one of their room`, () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT });
  const missing = sources.filter((source) => !isHeld(source));
  const rooms = new Map<string, string[]>();
  for (const file of missing) rooms.set(dirname(file), [...(rooms.get(dirname(file)) ?? []), basename(file)]);
  const list = [...rooms].map(([room, files]) => `${room}: ${files.join(' ')}`).join('\n');
  expect(sources.length - missing.length, `Without a test:\n${list}\n`).toBeGreaterThanOrEqual(MIN_FILES);
});

test('the names of a comment are read', () => {
  expect(namesIn('A. Holds the rules of src/a/b.ts, c.ts and src/d/e.ts. Holds the rules of src/f.ts.')).toEqual([
    'src/a/b.ts',
    'src/a/c.ts',
    'src/d/e.ts',
    'src/f.ts',
  ]);
});
