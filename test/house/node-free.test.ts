/** The resolver and the edge library also run in browsers and at CDNs: nothing that they load may need Node.js. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const ENTRIES = ['{resolver,feed-client,edge-library}/**/*.ts'];
/** The only package, which is plain JavaScript. */
const PACKAGES = ['re2js'];
const NODE_ONLY = /\b(Buffer|process|global|require|setImmediate|__dirname|__filename)\b/;
const MAY_BE_ABSENT = /\b(?:Buffer|process)\?[:.]/g;

/** Names that a file loads; imports of types vanish. */
const loadedBy = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)].map(([, name = '']) => name);

/** Code without comments and quoted texts. */
const code = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

const loaded = new Map<string, { text: string; packages: string[] }>();

function load(file: string): void {
  if (loaded.has(file)) return;
  const text = readFileSync(join(SRC, file), 'utf8');
  const names = loadedBy(text);
  loaded.set(file, { text, packages: names.filter((name) => !name.startsWith('.')) });
  for (const name of names) if (name.startsWith('.')) load(join(dirname(file), name));
}

for (const file of globSync(ENTRIES, { cwd: SRC })) load(file);

test('everything that they load is found', () => {
  expect(loaded.size).toBeGreaterThan(50);
  expect(loadedBy("import { a } from './a.ts';\nimport type { B } from 'b';\nimport {\n  c,\n} from 'c';\n")).toEqual([
    './a.ts',
    'c',
  ]);
});

test('they load no module of Node.js and only packages that need none', () => {
  const packages = [...loaded].flatMap(([file, { packages: names }]) => names.map((name) => ({ file, name })));
  expect(packages.filter(({ name }) => !PACKAGES.includes(name))).toEqual([]);
});

test('they use no global of Node.js but those that may be absent', () => {
  const users = [...loaded].filter(([, { text }]) => NODE_ONLY.test(code(text).replaceAll(MAY_BE_ABSENT, '')));
  expect(users.map(([file]) => file)).toEqual([]);
});
