/** Holds the rules of src/formats/read/csv/header.ts and layout.ts. */
import { describe, expect, test } from 'vitest';

import { csvRow, readCsv } from './csv-file.ts';

describe('the columns of a file', () => {
  test.each([
    'old_path,new_path,status_code',
    'Old Path,New-Path,Status.Code',
    '\ufeffOLDPATH,NEWPATH,STATUSCODE',
    'Source URL,Target URL,HTTP status',
    'from,to,redirect_code',
    'legacy url,destination,type',
    'Original URL,New URL,status',
  ])('%j is source, target and status', async (header) => {
    const { rows } = await readCsv(`${header}\nhttps://example.com/a,/b,302\n`);
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b', statusCode: 302 })]);
  });

  test('columns may be in any order', async () => {
    const { rows } = await readCsv('notes,status_code,new_path,old_path\nn,301,/b,/a\n');
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b', statusCode: 301, notes: 'n' })]);
  });

  test.each(['Quelle;Ziel;Statuscode', 'Ancienne URL;Nouvelle URL;Code HTTP', 'URL origen;Destino;Código HTTP'])(
    '%s has columns in another language',
    async (header) => {
      const { rows } = await readCsv(`${header}\n/a,1;/b;302\n`);
      expect(rows).toEqual([csvRow(2, '/a,1', { newPath: '/b', statusCode: 302 })]);
    },
  );

  test('an unknown header rejects the file and is named', async () => {
    await expect(readCsv('old_path,new_path,colour,size\n/a,/b,red,9\n')).rejects.toMatchObject({
      code: 'UNKNOWN_COLUMN',
      message: 'unknown columns: "colour", "size"',
      details: expect.stringContaining('ignore_unknown=true'),
    });
  });

  test('with ignore_unknown an unknown column is ignored, and its cells are counted', async () => {
    const { rows, layout } = await readCsv('old_path,new_path,colour\n/a,/b,red\n/c,/d,\n', {
      ignoreUnknown: true,
    });
    expect(rows).toHaveLength(2);
    expect(layout.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'colour', count: 1 }]);
  });

  test('a first row without known names and without a path is a header of unknown names', async () => {
    await expect(readCsv('alpha,beta\n/a,/b\n')).rejects.toMatchObject({
      code: 'UNKNOWN_COLUMN',
      message: 'unknown columns: "alpha", "beta"',
    });
  });

  test('a long unknown header is truncated in the message', async () => {
    const headers = Array.from({ length: 5000 }, (_, n) => `unknown${n}`);
    const error = await readCsv(`old_path,${headers.join(',')}\n`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'UNKNOWN_COLUMN',
      message: expect.stringContaining('and 4990 more'),
    });
  });

  test.each([
    ['old_path,source,new_path', '"old_path" and "source" both fill old_path'],
    ['old_path,new_path,notes,Notes', '"notes" and "Notes" both fill notes'],
    ['old_path,enabled,disabled', '"enabled" and "disabled" both fill enabled'],
    ['old_path,code,type', '"code" and "type" both fill status_code'],
  ])('%j has two columns for one field', async (header, message) => {
    await expect(readCsv(`${header}\n/a,301,302,1\n`)).rejects.toMatchObject({
      code: 'DUPLICATE_COLUMN',
      message,
    });
  });

  test('a file without a source column is rejected', async () => {
    await expect(readCsv('new_path,status_code\n/b,301\n')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file' }],
    });
  });

  test.each([
    ['no bytes', ''],
    ['only blank lines', '\n\r\n \n'],
  ])('a file of %s is rejected', async (_name, content) => {
    await expect(readCsv(content)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file' }],
    });
  });

  test('the header is found after any number of blank lines', async () => {
    const { rows } = await readCsv(`${'\n'.repeat(300_000)}old_path,new_path\n/a,/b\n`);
    expect(rows).toEqual([csvRow(300_002, '/a', { newPath: '/b' })]);
  });

  test('a column without a name is ignored and counted by its position', async () => {
    const { rows, layout } = await readCsv(',old_path,new_path,\n0,/a,/b,\n');
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' })]);
    expect(layout.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'column 1', count: 1 }]);
  });

  test('a file with a header alone has no rows', async () => {
    const { rows, errors } = await readCsv('old_path,new_path\n');
    expect([rows, errors]).toEqual([[], []]);
  });

  test('a row with a path is data even if another cell is a known name', async () => {
    const { rows } = await readCsv('/a,to\n');
    expect(rows).toEqual([csvRow(1, '/a', { newPath: 'to' })]);
  });

  test('a # is a comment only in the files of a tool that writes comments', async () => {
    await expect(readCsv('# mine\nold_path,new_path\n/a,/b\n')).rejects.toMatchObject({
      code: 'UNKNOWN_COLUMN',
    });
    const { errors } = await readCsv('old_path,new_path\n#/a,/b\n');
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[2, 'INVALID_OLD_PATH']]);
  });
});

describe('the option columns', () => {
  test('maps a header to a field, or ignores it', async () => {
    const { rows, layout } = await readCsv('was,is,why,x\n/a,/b,moved,1\n', {
      columns: { was: 'old_path', IS: 'new_path', why: 'notes', x: '' },
    });
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b', notes: 'moved' })]);
    expect(layout.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'x', count: 1 }]);
  });

  test('takes precedence over the name', async () => {
    const { rows } = await readCsv('source,path,to\nmanual,/a,/b\n', { columns: { source: '' } });
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b' })]);
  });

  test('its headers help to find the delimiter', async () => {
    const { rows } = await readCsv('was;is\n/a,1;/b\n', { columns: { was: 'old_path', is: 'new_path' } });
    expect(rows).toEqual([csvRow(2, '/a,1', { newPath: '/b' })]);
  });

  test.each([
    [{ was: 'colour' }, '"was" is mapped to "colour"'],
    [{ nowhere: 'notes' }, '"nowhere" is not a column of the file'],
  ])('%j is rejected', async (columns, message) => {
    await expect(readCsv('was,old_path\n/a,/b\n', { columns })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'columns', message: expect.stringContaining(message) }],
    });
  });

  test('is rejected for a file without a header', async () => {
    await expect(readCsv('/a,/b\n', { columns: { was: 'old_path' } })).rejects.toMatchObject({
      issues: [{ path: 'columns' }],
    });
  });
});

describe('a column type or status', () => {
  test('is decided by its first cell with content, even far down the file', async () => {
    const blank = Array.from({ length: 2000 }, (_, n) => `/a${n},/b,`).join('\n');
    const { rows } = await readCsv(`old_path,new_path,type\n${blank}\n/z,/b,302\n`);
    expect(rows.at(-1)).toEqual(csvRow(2002, '/z', { newPath: '/b', statusCode: 302 }));
    expect(rows[0]?.statusCode).toBeUndefined();
  });

  test('as a status makes a later value that is not a status an error row', async () => {
    const { rows, errors } = await readCsv('old_path,new_path,status\n/a,/b,301\n/c,/d,active\n');
    expect(rows).toHaveLength(1);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'status_code', 'INVALID_STATUS_CODE'],
    ]);
  });

  test('with words says whether a rule is enabled', async () => {
    const { rows, errors } = await readCsv('old_path,new_path,status\n/a,/b,Active\n/c,/d,disabled\n/e,/f,trash\n');
    expect(rows.map((row) => row.draft)).toEqual([false, true]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[4, 'CONDITION_NOT_SUPPORTED']]);
  });

  test('holds statuses even if the first one is invalid', async () => {
    const { errors } = await readCsv('old_path,new_path,type\n/a,/b,301.0\n');
    expect(errors.map(({ column, code }) => [column, code])).toEqual([['status_code', 'INVALID_STATUS_CODE']]);
  });

  test('with neither a status nor a match kind rejects the file, unless ignore_unknown is set', async () => {
    const content = 'old_path,new_path,type\n/a,/b,vanity\n';
    await expect(readCsv(content)).rejects.toMatchObject({
      code: 'UNKNOWN_COLUMN',
      message: 'the column "type" contains "vanity", which is not a status',
    });
    expect((await readCsv(content, { ignoreUnknown: true })).rows).toHaveLength(1);
  });

  test('that is empty specifies nothing', async () => {
    expect((await readCsv('old_path,new_path,type,status\n/a,/b,,\n')).rows).toEqual([
      csvRow(2, '/a', { newPath: '/b' }),
    ]);
  });
});

describe('the columns of a list of errors', () => {
  test.each([
    'line,column,code,message,source,target,regex,code\n2,row,X,no,/a,/b,0,302\n',
    'source,target,regex,code,line,column,code,message\n/a,/b,0,302,2,row,X,no\n',
    'source,message,target,code,column,regex,line,code\n/a,no,/b,X,row,0,2,302\n',
  ])('%j: are ignored wherever they are', async (file) => {
    const { rows, layout } = await readCsv(file, { query: 'exact' });
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b', statusCode: 302, isRegex: false })]);
    expect(layout.notices).toEqual([]);
  });

  test('without all four, a column keeps its meaning', async () => {
    const { rows } = await readCsv('from,to,code,message\n/a,/b,302,x\n', { ignoreUnknown: true });
    expect(rows).toEqual([csvRow(2, '/a', { newPath: '/b', statusCode: 302 })]);
  });

  test('a file without headers gets those of its tool', async () => {
    const file =
      'line,column,code,message,url,target,type,enabled,query,count,categories,regex,login\n2,row,X,no,a,/b,301,yes,exact_match,4,news,no,both\n';
    const { rows, layout } = await readCsv(file, { query: 'exact' });
    expect([layout.format, rows]).toEqual([
      'seopress',
      [csvRow(2, '/a', { newPath: '/b', statusCode: 301, isRegex: false, groupId: 'news' })],
    ]);
  });
});
