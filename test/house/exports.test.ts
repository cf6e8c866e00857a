/** An export that no other file imports is dead, or needs no export. Migrations are generated from db/schema. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = new Map(
  globSync('{src,test,bench,scripts,dashboard}/**/*.{ts,tsx,mjs}', {
    exclude: (path) => path.includes('node_modules'),
  }).map((file) => [file, readFileSync(file, 'utf8')]),
);

/** Each identifier with the number of files that contain it. */
const users = new Map<string, number>();
for (const text of files.values()) {
  for (const name of new Set(text.match(/[A-Za-z_$][\w$]*/g))) users.set(name, (users.get(name) ?? 0) + 1);
}

test('every export of src and of the dashboard is used by another file', () => {
  const exports = [...files].flatMap(([file, text]) =>
    /^(src|dashboard\/src)\//.test(file) && !file.startsWith('src/db/schema/')
      ? [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].map(([, name = '']) => ({
          file,
          name,
        }))
      : [],
  );
  expect(exports.length).toBeGreaterThan(500);
  const unused = exports.filter(({ name }) => (users.get(name) ?? 0) < 2);
  expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
