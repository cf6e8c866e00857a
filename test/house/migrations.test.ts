import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '..', '..', 'migrations');
/** They were released without a comment, and migrations are never edited. docs/operations.md names their locks. */
const WITHOUT_COMMENT = ['0006_hit_tiers.sql', '0007_hit_tiers_indexed.sql'];

const firstComment = (file: string): string =>
  (/^(?:--[^\n]*\n)+/.exec(readFileSync(join(FOLDER, file), 'utf8'))?.[0] ?? '').replaceAll('\n-- ', ' ');

test('each migration begins with a comment that names the locks it takes', () => {
  const files = globSync('*.sql', { cwd: FOLDER }).toSorted();
  expect(files.length).toBeGreaterThanOrEqual(9);
  const silent = files.filter((file) => !/\block|\bACCESS EXCLUSIVE\b/i.test(firstComment(file)));
  expect(silent).toEqual(WITHOUT_COMMENT);
});

test('docs/operations.md names the locks of the migrations without a comment', () => {
  const operations = readFileSync(join(FOLDER, '..', 'docs', 'operations.md'), 'utf8');
  for (const file of WITHOUT_COMMENT) expect(operations).toContain(`\`${file}\``);
});
