import { expect, test } from 'vitest';
import { problemOfStart } from '../../dashboard/src/screens/import/file/file-kind.ts';
import { isPasted, pastedFile } from '../../dashboard/src/screens/import/file/offered-file.ts';

const titleOf = (start: string, name = 'file'): string | undefined =>
  problemOfStart(Buffer.from(start, 'latin1'), name)?.title;

test.each([
  ['PK\u0003\u0004', 'book.xlsx', 'This is a spreadsheet file'],
  ['\u00d0\u00cf\u0011\u00e0', 'book.xls', 'This is a spreadsheet file'],
  ['PK\u0003\u0004', 'all.zip', 'This is a compressed file'],
  ['\u001f\u008b\u0008', 'a.csv.gz', 'This is a compressed file'],
  ['\u0089PNG\r\n', 'logo.png', 'This is an image'],
  ['\u00ff\u00d8\u00ff\u00e0', 'photo.jpg', 'This is an image'],
  ['%PDF-1.7', 'doc.pdf', 'This is a PDF'],
  ['\u00ef\u00bb\u00bf\n<!DOCTYPE html>', 'page.html', 'This is a web page'],
  ['<?xml version="1.0"?>', 'sitemap.xml', 'This is an XML file'],
  ['<?xml version="1.0"?>', 'web.config', undefined],
])('a file that begins with %j is recognized: %s', (start, name, title) => {
  expect(titleOf(start, name)).toBe(title);
});

test.each(['', 'from,to', '/a /b', '<IfModule mod_rewrite.c>', '{"a":1}', '\u00ff\u00fe/\0a\0', 'BM,to', 'PK,to'])(
  'the service reads a file that begins with %j',
  (start) => expect(titleOf(start)).toBeUndefined(),
);

test('pasted rows are named by their first cell, without slashes', () => {
  const file = pastedFile('\n  /old/a\t/x\n/b\t/y\n');
  expect([file.name, isPasted(file)]).toEqual(['Pasted rows, first ∕old∕a', true]);
  expect(pastedFile('x'.repeat(200)).name.length).toBeLessThan(100);
});
