/** The pages that scripts/build-docs.ts writes from docs/templates and the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/build-docs.ts';
import { STATUS } from '../../src/http/errors/status.ts';

const pages = generatedPages();
const stored = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

test.each([...pages.keys()])('docs/%s is what the code says', (name) => {
  expect(stored(name), 'run `node scripts/build-docs.ts`, and read what changed').toBe(pages.get(name));
});

test('docs/errors.md lists every error code once, and docs/limits.md has a number for every limit', () => {
  const lists = stored('errors.md').split(/^## /m).slice(1);
  const codes = lists.flatMap((list) =>
    [...list.matchAll(/^(?:- | {2})((?:`[A-Z_]+`(?:, )?)+)/gm)].flatMap(([, names = '']) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), Number.parseInt(list, 10)] as const),
    ),
  );
  expect(Object.fromEntries(codes)).toEqual(STATUS);
  expect(codes).toHaveLength(Object.keys(STATUS).length);
  expect(pages.get('limits.md')).not.toContain('{{');
});
