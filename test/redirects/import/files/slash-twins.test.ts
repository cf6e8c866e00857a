import { expect, test } from 'vitest';
import type { FileRow } from '../../../../src/formats/rows/row.ts';
import { createTwinReader } from '../../../../src/redirects/import/files/slash-twins.ts';
import type { Website } from '../../../../src/websites/website.ts';

function pathsOf(rows: Partial<FileRow>[], format: string, trailingSlash: Website['trailingSlash']): unknown[] {
  const read = createTwinReader(format, { trailingSlash } as Website);
  return rows.map((row, at) => read({ line: at + 1, newPath: '/to', ...row } as FileRow).oldPath);
}

const TWINS = [{ oldPath: '/a' }, { oldPath: '/a/' }];

test.each(['vercel', 'cloudflare'])('a row of %s repeats the path of the row before with the other slash', (format) => {
  expect(pathsOf(TWINS, format, 'ignore')).toEqual(['/a', '/a']);
});

test('a path keeps its slash if the website or the format compares it, or if the rows differ', () => {
  expect(pathsOf(TWINS, 'vercel', 'exact')).toEqual(['/a', '/a/']);
  expect(pathsOf(TWINS, 'csv', 'ignore')).toEqual(['/a', '/a/']);
  expect(pathsOf([{ oldPath: '/a' }, { oldPath: '/a/', newPath: '/other' }], 'vercel', 'ignore')).toEqual([
    '/a',
    '/a/',
  ]);
  expect(pathsOf([{ oldPath: '/a' }, { oldPath: '/b' }, { oldPath: '/a/' }], 'vercel', 'ignore')).toEqual([
    '/a',
    '/b',
    '/a/',
  ]);
});
