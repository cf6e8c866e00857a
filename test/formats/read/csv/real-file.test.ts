import { expect, test } from 'vitest';

import { csvOptions, readPath } from './csv-file.ts';

const REAL_FILE = new URL('../../../fixtures/windows-driver-docs.csv', import.meta.url).pathname;

test('a real file of 4,735 redirects is 4,735 rows, without white space after targets', async () => {
  const { rows, errors, layout } = await readPath(REAL_FILE, csvOptions());
  expect(errors).toEqual([]);
  expect(layout).toMatchObject({ delimiter: ',', format: 'plain', headerLine: 1, notices: [] });
  expect(rows).toHaveLength(4735);
  expect(rows.map((row) => row.line)).toEqual(Array.from({ length: 4735 }, (_, at) => at + 2));
  expect(new Set(rows.map((row) => row.statusCode))).toEqual(new Set([301]));
  expect(new Set(rows.map((row) => row.oldPath)).size).toBe(4733);
  expect(rows.filter((row) => row.newPath !== row.newPath?.trim())).toEqual([]);
  expect(rows.filter((row) => row.newPath?.startsWith('https://'))).toHaveLength(31);
});
