import { expect, test } from 'vitest';
import { guessedFields, sampleOf, sampleRows } from '../../dashboard/src/screens/import/file/csv-sample.ts';

test.each([
  ['commas', 'a,b\n1,2\n'],
  ['semicolons and CRLF', 'a;b\r\n1;2\r\n'],
  ['tabs and CR', 'a\tb\r1\t2\r'],
  ['pipes, without a final line break', 'a|b\n1|2'],
  ['white space around', ' a , b \n 1 ,2'],
  ['empty rows between', 'a,b\n\n,\n1,2'],
])('rows with %s', (_, text) => {
  expect(sampleRows(text, 5)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('quoted cells may contain delimiters, line breaks and doubled quotes', () => {
  expect(sampleRows('a,b\n"x,y\nz","say ""hi"""\n', 5)).toEqual([
    ['a', 'b'],
    ['x,y\nz', 'say "hi"'],
  ]);
});

test('returns up to the requested number of rows', () => {
  expect(sampleRows('a\nb\nc\n', 2)).toEqual([['a'], ['b']]);
});

test.each([
  ['utf-8 with a byte order mark', Buffer.from('\ufeffa,é\n')],
  ['utf-16le', Buffer.from('\ufeffa,é\n', 'utf16le')],
  ['utf-16be', Buffer.from('\ufeffa,é\n', 'utf16le').swap16()],
])('reads a file in %s', async (_, bytes) => {
  expect(await sampleOf(new Blob([bytes]), 2)).toEqual([['a', 'é']]);
});

test('reads only the start of a large file', async () => {
  const rows = await sampleOf(new Blob(['a,b\n'.repeat(100_000)]), 3);
  expect(rows).toHaveLength(3);
});

test.each([
  [
    'Quelle;Ziel;Code\n/a;/b;301\n/c;https://x.example/d;410',
    { Quelle: 'old_path', Ziel: 'new_path', Code: 'status_code' },
  ],
  ['Wer;Woher;Wohin\nJo;/a;/b\n;;', { Woher: 'old_path', Wohin: 'new_path' }],
  ['Quelle;Ziel\n/a;offen\n/c;/d', undefined],
  ['Quelle;Ziel', undefined],
  ['/a;/b\n/c;/d', undefined],
])('fields of %j by their contents', (text, fields) => {
  expect(guessedFields(sampleRows(text, 5))).toEqual(fields);
});
