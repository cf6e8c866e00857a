import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPath } from './list-file.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'urls');
const names = globSync('*.csv', { cwd: FOLDER }).map((file) => file.replace('.csv', ''));

test('every file of a tool is here', () => {
  expect(names.length).toBeGreaterThanOrEqual(12);
});

/** See test/fixtures/urls/README.md. */
test.each(names)('%s', async (name) => {
  const expected: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
  expect(await readPath(join(FOLDER, `${name}.csv`))).toEqual(expected);
});
