/** Holds the rules of src/formats/read/csv/plan-csv.ts, read-rows.ts and records.ts. */
// From bytes to cells: encodings, line ends, quotes, delimiters and the physical lines that errors name.
import { describe, expect, test } from 'vitest';

import { csvRow, readCsv } from './csv-file.ts';

const HEADER = 'old_path,new_path,status_code,notes';

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

describe('encodings', () => {
  const text = 'old_path,new_path\n/straße,/ö\n/日本,/😀\n';
  const expected = [csvRow(2, '/straße', { newPath: '/ö' }), csvRow(3, '/日本', { newPath: '/😀' })];

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE', Buffer.from(text, 'utf16le')],
    ['UTF-16LE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', utf16be(text)],
    ['UTF-16BE with a byte order mark', utf16be(`\ufeff${text}`)],
  ])('%s gives the same rows', async (_name, bytes) => {
    const { rows, errors } = await readCsv(bytes);
    expect(errors).toEqual([]);
    expect(rows).toEqual(expected);
  });

  test('a row that is not UTF-8 is an error with its line, and its neighbours are read', async () => {
    const latin1 = Buffer.concat([
      Buffer.from('old_path,new_path\r\n/a,/b\r\n/caf'),
      Buffer.from([0xe9]),
      Buffer.from(',/c\r\n/d,/é\r\n'),
    ]);
    const { rows, errors } = await readCsv(latin1);
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' }), csvRow(4, '/d', { newPath: '/é' })]);
    expect(errors).toEqual([
      {
        line: 3,
        column: 'row',
        code: 'MALFORMED_ROW',
        message: 'the row is not valid text in the encoding of the file; save the file as UTF-8',
        oldPath: null,
      },
    ]);
  });

  test('a U+FFFD in the file is an ordinary character', async () => {
    const { rows } = await readCsv('old_path,new_path\n/\ufffd,/b\n');
    expect(rows).toEqual([csvRow(2, '/\ufffd', { newPath: '/b' })]);
  });

  test('a lone surrogate in UTF-16 is an error row, not a replacement character', async () => {
    const { rows, errors } = await readCsv(Buffer.from('\ufeffold_path,new_path\n/\ud800,/b\n/c,/d\n', 'utf16le'));
    expect(rows.map((row) => row.oldPath)).toEqual(['/c']);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[2, 'MALFORMED_ROW']]);
  });

  test('half a character at the end of a UTF-16 file is an error row', async () => {
    const whole = Buffer.from('\ufeffold_path,new_path\n/a,/b\n/c,/d', 'utf16le');
    const { rows, errors } = await readCsv(whole.subarray(0, -1));
    expect(rows.map((row) => row.oldPath)).toEqual(['/a']);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[3, 'MALFORMED_ROW']]);
  });

  test('UTF-32 is rejected by name', async () => {
    const utf32 = Buffer.from([0xff, 0xfe, 0, 0, 0x2f, 0, 0, 0]);
    await expect(readCsv(utf32)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('UTF-32'),
    });
  });

  test('characters stay whole across the chunks of a file', async () => {
    const wide = Array.from({ length: 30_000 }, (_, n) => `/ö😀${n},/ä${n}`);
    for (const encode of [Buffer.from, utf16be]) {
      const { rows, errors } = await readCsv(encode(`old_path,new_path\n${wide.join('\n')}`));
      expect(errors).toEqual([]);
      expect(rows.map((row) => `${row.oldPath},${row.newPath ?? ''}`)).toEqual(wide);
    }
  });
});

describe('line ends and lines', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('with %s a row is named by the physical line where it begins', async (_name, end) => {
    const { rows } = await readCsv(
      [HEADER, '/a,/b,301,"one', 'two', '', 'four"', '', '/c,/d,302,', '"/e","/f",301,"x"'].join(end),
    );
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301, notes: ['one', 'two', '', 'four'].join(end) }),
      csvRow(7, '/c', { newPath: '/d', statusCode: 302, notes: null }),
      csvRow(8, '/e', { newPath: '/f', statusCode: 301, notes: 'x' }),
    ]);
  });

  test('line ends may differ from row to row', async () => {
    const { rows } = await readCsv('old_path,new_path\r\n/a,/b\n/c,/d\r/e,/f\r\n');
    expect(rows.map(({ line, oldPath }) => [line, oldPath])).toEqual([
      [2, '/a'],
      [3, '/c'],
      [4, '/e'],
    ]);
  });

  test('a CRLF split between two chunks is one line end', async () => {
    const first = 'old_path,new_path\r\n/a,/b\r\n';
    const filler = `/${'f'.repeat(1000)},/g\r\n`;
    const before = first + filler.repeat(129);
    const padding = `/${'p'.repeat(128 * 1024 - before.length - '/,/q'.length - 1)},/q\r\n`;
    expect((before + padding).length).toBe(128 * 1024 + 1);
    const { rows } = await readCsv(`${before}${padding}/z,/y\r\n`);
    expect(rows.at(-1)).toEqual(csvRow(133, '/z', { newPath: '/y' }));
  });

  test('blank lines are not rows but count as lines', async () => {
    const { rows, errors, layout } = await readCsv('\n  \nold_path,new_path\n\n/a,/b\n \t \n\n/c,/d\n\n\n');
    expect(errors).toEqual([]);
    expect(layout.headerLine).toBe(3);
    expect(rows.map(({ line, oldPath }) => [line, oldPath])).toEqual([
      [5, '/a'],
      [8, '/c'],
    ]);
    expect(layout.notices).toEqual([]);
  });

  test('a row of empty cells is omitted and counted', async () => {
    const { rows, errors, layout } = await readCsv('old_path,new_path\n/a,/b\n,\n"",""\n');
    expect(errors).toEqual([]);
    expect(rows).toHaveLength(1);
    expect(layout.notices).toEqual([{ code: 'EMPTY_ROWS', column: 'row', count: 2 }]);
  });

  test('the last row needs no line end', async () => {
    expect((await readCsv('old_path,new_path\n/a,"/b"')).rows).toEqual([csvRow(2, '/a', { newPath: '/b' })]);
  });
});

describe('cells', () => {
  test.each([',', ';', '|', '\t'])('%j is found as the delimiter', async (delimiter) => {
    const lines = [HEADER.split(','), ['/a', '/b', '301', 'n'], ['/c', '/d', '302', '']];
    const { rows, layout } = await readCsv(lines.map((cells) => cells.join(delimiter)).join('\n'));
    expect(layout.delimiter).toBe(delimiter);
    expect(rows).toEqual([
      csvRow(2, '/a', { newPath: '/b', statusCode: 301, notes: 'n' }),
      csvRow(3, '/c', { newPath: '/d', statusCode: 302, notes: null }),
    ]);
  });

  test.each([
    ['is in some rows only', '/a;x,1\n/b;y,2\n/c;z\n', 'x,1'],
    ['is in every row, but not before a target', '/a,1;/x\n/b,2;/y\n', '/x'],
  ])('a delimiter that %s is not the delimiter', async (_where, content, firstTarget) => {
    const { rows, layout } = await readCsv(content);
    expect(layout.delimiter).toBe(';');
    expect(rows[0]?.newPath).toBe(firstTarget);
  });

  test('white space around a cell is trimmed, inside quotes and outside', async () => {
    const { rows } = await readCsv(' old_path , "new_path"\n  /a\t,\u00a0/b \n " /c " , " /d"  \n');
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' }), csvRow(3, '/c', { newPath: '/d' })]);
  });

  test('an empty cell of environments is a draft in our own exports, and unspecified in other files', async () => {
    const file = (headers: string) => `${headers},target_environments\n/a,/b,301,false,,,7,2026-01-01T00:00:00Z,\n`;
    const own = await readCsv(file('old_path,new_path,status_code,is_regex,group_id,notes,id,created_at'));
    expect(own.rows.map(({ environments }) => environments)).toEqual(['']);
    const other = await readCsv(file('old_path,new_path,status_code,is_regex,group_id,notes,id,updated_at'));
    expect(other.rows.map(({ environments }) => environments)).toEqual([undefined]);
  });

  test('an empty cell clears its field, and a row that ends early leaves the other fields unspecified', async () => {
    const header = 'old_path,new_path,status_code,is_regex,group_id,notes,target_environments,website_id\n';
    const { rows } = await readCsv(`${header}/a,,,,,,,\n/b,/c\n/d\n`);
    const none = { newPath: null, groupId: null, notes: null };
    expect(rows).toEqual([
      csvRow(2, '/a', none),
      csvRow(3, '/b', { newPath: '/c' }),
      csvRow(4, '/d', { newPath: null }),
    ]);
  });

  test('a column that the file does not have leaves its field unspecified', async () => {
    expect((await readCsv('old_path\n/a\n')).rows).toEqual([csvRow(2, '/a')]);
  });

  test('surplus empty cells are ignored, a surplus cell with content is an error row', async () => {
    const { rows, errors } = await readCsv('old_path,new_path\n/a,/b,,,\n/c,/d,/e\n');
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' })]);
    expect(errors).toEqual([
      {
        line: 3,
        column: 'row',
        code: 'MALFORMED_ROW',
        message: 'the row has 3 cells and the file 2 columns; put a cell with a delimiter in quotes',
        oldPath: '/c',
      },
    ]);
  });
});

describe('broken quotes', () => {
  const BROKEN = /a quote opens here that is not closed/;

  test('an unclosed quote makes only its own line an error, and the next rows are read', async () => {
    const { rows, errors } = await readCsv(`${HEADER}\n/a,/b,301,"lost\n/c,/d,301,x\n/e,/f,301,"y"\n`);
    expect(rows.map(({ line, oldPath }) => [line, oldPath])).toEqual([
      [3, '/c'],
      [4, '/e'],
    ]);
    expect(errors).toEqual([
      {
        line: 2,
        column: 'row',
        code: 'MALFORMED_ROW',
        message: expect.stringMatching(BROKEN),
        oldPath: null,
      },
    ]);
  });

  test('two stray quotes do not enclose a cell from one to the other', async () => {
    const { rows, errors } = await readCsv(`${HEADER}\n/a,5" pipe,301,\n/c,/d,301,x\n/e,7" pipe,301,\n/g,/h,,\n`);
    expect(rows.map(({ line, oldPath }) => [line, oldPath])).toEqual([
      [3, '/c'],
      [5, '/g'],
    ]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'MALFORMED_ROW'],
      [4, 'MALFORMED_ROW'],
    ]);
  });

  test('text after a closing quote is an error of that line', async () => {
    const { rows, errors } = await readCsv(`${HEADER}\n/a,"/b"x,301,\n/c,/d,301,\n`);
    expect(rows.map((row) => row.oldPath)).toEqual(['/c']);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[2, 'MALFORMED_ROW']]);
  });

  test('a broken header rejects the file with its line', async () => {
    await expect(readCsv('\nold_path,"new_path\n/a,/b\n')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file', message: expect.stringMatching(/^line 2: a quote opens/) }],
    });
  });
});
