import { expect, test } from 'vitest';
import { csvCell, importErrorsCsv } from '../../../src/surfaces/session-api/import-csv.ts';

test.each([
  ['/plain', '/plain'],
  ['', ''],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-1', "'-1"],
  ['@cell', "'@cell"],
  ['=a,b', '"\'=a,b"'],
])('the cell %j is written as %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('a file of errors has its header also without errors', async () => {
  async function* noPages() {}
  expect(await Array.fromAsync(importErrorsCsv(noPages()))).toEqual(['line,column,code,message,old_path\r\n']);
});
