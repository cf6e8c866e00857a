import { expect, test } from 'vitest';
import { importErrorsCsv } from '../../../../src/surfaces/resources/imports/import-report.ts';

async function* pages(...cells: (string[] | null)[]) {
  const error = { importId: 'imp_1', line: 2, field: 'old_path', code: 'INVALID_OLD_PATH', message: 'a, "b"' };
  yield cells.map((row, n) => ({ ...error, n, oldPath: 'x', cells: row }));
}

const fileOf = async (headers: string[] | null, ...cells: (string[] | null)[]) =>
  (await Array.fromAsync(importErrorsCsv(headers, pages(...cells)))).join('').split('\r\n');

test('a file of errors has its header also without errors', async () => {
  expect(await fileOf(null)).toEqual(['line,column,code,message,old_path', '']);
});

test('a file of errors has the columns of the imported file, and its cells as they were', async () => {
  expect(await fileOf(['Old, new', 'To', ''], ['=1+1', '@x "y"', '\t=2'], ['/a', '', '', 'extra'], null)).toEqual([
    'line,column,code,message,"Old, new",To,',
    '2,old_path,INVALID_OLD_PATH,"a, ""b""", =1+1," @x ""y""", \t=2',
    '2,old_path,INVALID_OLD_PATH,"a, ""b""",/a,,,extra',
    '2,old_path,INVALID_OLD_PATH,"a, ""b""; the row is not stored; find it by its line in the file"',
    '',
  ]);
});

test('the errors of entries that were sent as JSON have their path', async () => {
  expect(await fileOf(null, null)).toEqual([
    'line,column,code,message,old_path',
    '2,old_path,INVALID_OLD_PATH,"a, ""b""",x',
    '',
  ]);
});
