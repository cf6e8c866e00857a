/** Holds the rules of src/formats/read/csv/read-rule.ts. */
import { describe, expect, test } from 'vitest';

import { checkRow } from '../../../../src/formats/rows/row.ts';
import { csvRow, readCsv } from './csv-file.ts';

async function errorOf(content: string, changes: Parameters<typeof readCsv>[1] = {}): Promise<unknown[]> {
  const { errors, rows } = await readCsv(content, changes);
  expect(rows).toEqual([]);
  return errors.map(({ column, code }) => [column, code]);
}

describe('sources', () => {
  test.each([
    ['https://example.com/a?x=1#f', '/a?x=1#f'],
    ['HTTP://Example.COM:8080/a', '/a'],
    ['https://example.com./a', '/a'],
    ['https://example.com', '/'],
    ['https://example.com?x=1', '/?x=1'],
    ['https://bücher.example/a', '/a'],
    ['https://example.com//a', '//a'],
    ['/a%2Fb', '/a%2Fb'],
    ['example.com/a', '/a'],
    ['EXAMPLE.com:443', '/'],
  ])('%s is the path %s', async (source, path) => {
    expect((await readCsv(`old_path,new_path\n${source},/b\n`)).rows).toEqual([csvRow(2, path, { newPath: '/b' })]);
  });

  test.each([
    ['https://other.com/a', 'SOURCE_HOST_MISMATCH'],
    ['https://example.com.evil.com/a', 'SOURCE_HOST_MISMATCH'],
    ['https://user@example.com/a', 'SOURCE_HOST_MISMATCH'],
    ['https:///a', 'SOURCE_HOST_MISMATCH'],
    ['ftp://example.com/a', 'INVALID_OLD_PATH'],
    ['other.com/a', 'INVALID_OLD_PATH'],
    ['a/b', 'INVALID_OLD_PATH'],
    ['""', 'INVALID_OLD_PATH'],
  ])('%s is an error row', async (source, code) => {
    expect(await errorOf(`old_path,new_path\n${source},/b\n`)).toEqual([['old_path', code]]);
  });

  test.each([
    ['/a', 'https://example.com/b?c=1#d', '/b?c=1#d'],
    ['/a', 'http://example.com', '/'],
    ['/a', 'https://example.org/b', 'https://example.org/b'],
  ])('the target of %s, %s, is stored as %s', async (source, target, newPath) => {
    const { rows } = await readCsv(`old_path,new_path\n${source},${target}\n`);
    expect(rows).toEqual([csvRow(2, '/a', { newPath })]);
  });

  test.each(['/a', 'https://xn--bcher-kva.example/a'])('a target that is %s itself is a loop', async (source) => {
    const file = `old_path,new_path\n${source},https://example.com/a\n`;
    const { rows, errors } = await readCsv(file);
    expect(errors).toEqual([]);
    const servesRules = (host: string) => host === 'example.com';
    expect(rows.map((row) => checkRow(row, { allowedTargetHosts: [], servesRules }))).toMatchObject([
      { column: 'new_path', code: 'REDIRECT_LOOP', message: expect.stringContaining('"https://example.com/a"') },
    ]);
    // The environments of the redirect decide.
    expect(rows.map((row) => checkRow(row, { allowedTargetHosts: ['example.com'], servesRules }))).toMatchObject([
      { newPath: 'https://example.com/a', isUndecided: true },
    ]);
  });

  test('an error row has the source as in the file', async () => {
    const { errors } = await readCsv('old_path,new_path\nhttps://other.com/a,/b\n');
    expect(errors).toEqual([
      {
        line: 2,
        column: 'old_path',
        code: 'SOURCE_HOST_MISMATCH',
        message: '"other.com" is not a host of this website; add the host to the website or leave it out of the source',
        oldPath: 'https://other.com/a',
      },
    ]);
  });

  test('add_slash adds the leading slash and counts it', async () => {
    const { rows, layout } = await readCsv('old_path,new_path,regex\na,/b,\n^c(.*),/d,1\nx|y,/e,1\n', {
      addSlash: true,
    });
    expect(rows.map((row) => row.oldPath)).toEqual(['/a', '^/c(.*)', '/(?:x|y)']);
    expect(layout.notices).toEqual([{ code: 'SLASH_ADDED', column: 'old_path', count: 3 }]);
  });

  test('a pattern keeps its anchor and must have a slash', async () => {
    const { rows, errors } = await readCsv('old_path,new_path,is_regex\n^/a(.*)$,/b$1,true\n.*,/d,true\n');
    expect(rows).toEqual([csvRow(2, '^/a(.*)$', { newPath: '/b$1', isRegex: true })]);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[3, 'INVALID_OLD_PATH']]);
  });
});

describe('texts converted to patterns', () => {
  test.each([
    ['start', '/a+b', '^/a\\+b.*$', ['/a+b', '/a+bc'], ['/aab', '/x/a+b']],
    ['contains', 'a.b', '^/.*a\\.b.*$', ['/a.b', '/x/a.b/y'], ['/aXb']],
    ['contains', '/a', '^/(?:.*/)?a.*$', ['/a', '/x/a', '/x/ab'], ['/xa']],
    ['end', '.php', '^/.*\\.php$', ['/x.php', '/.php'], ['/x.php5', '/xphp']],
    ['end', '/z', '^/(?:.*/)?z$', ['/z', '/y/z'], ['/yz']],
  ])('%s %s is %s', async (kind, source, pattern, matching, others) => {
    const { rows, layout } = await readCsv(`old_path,new_path,matching\n${source},/to?p=$1$2,${kind}\n`);
    expect(rows).toEqual([csvRow(2, pattern, { newPath: '/to?p=$$1$$2', isRegex: true })]);
    expect(layout.notices).toEqual([{ code: 'CONVERTED_TO_PATTERN', column: 'old_path', count: 1 }]);
    const regex = new RegExp(pattern);
    expect([matching.filter((path) => regex.test(path)), others.filter((path) => regex.test(path))]).toEqual([
      matching,
      [],
    ]);
  });

  test('every character of a text is literal in the pattern', async () => {
    const source = '/a\\b^c$d.e*f+g(h)i[j]k{l}m|n';
    const { rows } = await readCsv(`old_path,new_path,matching\n"${source}",/t,start\n`);
    expect(new RegExp(rows[0]?.oldPath ?? '').test(`${source}/more`)).toBe(true);
  });

  test('a text with a query cannot become a pattern', async () => {
    expect(await errorOf('old_path,new_path,matching\n/a?b=1,/c,start\n')).toEqual([
      ['old_path', 'CONDITION_NOT_SUPPORTED'],
    ]);
  });

  test.each([
    ['/foo', '/bar', '^/foo(/.*)?$', '/bar$1'],
    ['/foo/', '/bar/', '^/foo(?:/(.*))?$', '/bar/$1'],
    ['/foo', 'https://example.org', '^/foo(?:/(.*))?$', 'https://example.org/$1'],
    ['/', '/bar', '^/(.*)$', '/bar$1'],
  ])('everything below %s redirects below %s', async (source, target, oldPath, newPath) => {
    const { rows } = await readCsv(`old_path,new_path,subpath_matching\n${source},${target},true\n`);
    expect(rows).toEqual([csvRow(2, oldPath, { newPath, isRegex: true })]);
  });
});

describe('statuses and booleans', () => {
  test.each(['301', '302', '999', 'found', 'PERMANENT_REDIRECT'])('%s is a number', async (status) => {
    const { rows } = await readCsv(`old_path,new_path,status_code\n/a,/b,${status}\n`);
    expect(rows[0]?.statusCode).toBe(status === 'found' ? 302 : status.startsWith('P') ? 308 : Number(status));
  });

  test.each(['301.0', '0301', '3e2', '+301', '-301', '0x12d', 'three', '301 ok', '99999999999'])(
    '%s is an error row and never rounded',
    async (status) => {
      expect(await errorOf(`old_path,new_path,status_code\n/a,/b,${status}\n`)).toEqual([
        ['status_code', 'INVALID_STATUS_CODE'],
      ]);
    },
  );

  test.each([
    ['true 1 yes Y t TRUE', true],
    ['false 0 no N f False', false],
  ])('%s are %s', async (words, value) => {
    for (const word of words.split(' ')) {
      const { rows } = await readCsv(`old_path,new_path,is_regex\n/a,/b,${word}\n`);
      expect(rows[0]?.isRegex).toBe(value);
    }
  });

  test('anything else is not a boolean', async () => {
    expect(await errorOf('old_path,new_path,is_regex\n/a,/b,on\n')).toEqual([['is_regex', 'INVALID_BOOLEAN']]);
    expect(await errorOf('old_path,new_path,disabled\n/a,/b,2\n')).toEqual([
      ['target_environments', 'INVALID_BOOLEAN'],
    ]);
  });

  test.each([
    ['enabled', 'yes', false],
    ['enabled', 'no', true],
    ['disabled', '1', true],
    ['disabled', '', false],
  ])('%s %j is a draft: %s', async (header, cell, draft) => {
    const { rows } = await readCsv(`old_path,new_path,${header}\n/a,/b,${cell}\n`);
    expect(rows[0]?.draft).toBe(draft);
  });
});

describe('websites and conditions', () => {
  test('a website_id must be a whole number and equal the one of the form', async () => {
    const content = 'old_path,new_path,website_id\n/a,/b,3\n/c,/d,4\n/e,/f,x\n/g,/h,\n';
    const { rows, errors } = await readCsv(content, { websiteId: 3 });
    expect(rows.map(({ line, websiteId }) => [line, websiteId])).toEqual([
      [2, 3],
      [5, undefined],
    ]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 'website_id', 'WEBSITE_MISMATCH'],
      [4, 'website_id', 'VALIDATION_ERROR'],
    ]);
  });

  test('without a form field any website_id is returned', async () => {
    const { rows } = await readCsv('old_path,new_path,website_id\n/a,/b,3\n/c,/d,4\n');
    expect(rows.map((row) => row.websiteId)).toEqual([3, 4]);
  });

  test.each([
    ['pass', 'true', 0],
    ['pass', 'false', 1],
    ['drop', 'false', 0],
    ['drop', 'with_ignored_param', 1],
    ['exact', 'exact_match', 0],
    ['exact', 'true', 1],
    ['pass', 'regexp', 1],
  ] as const)('under query "%s" a row that says %s makes %i errors', async (query, cell, count) => {
    const { errors } = await readCsv(`old_path,new_path,query\n/a,/b,${cell}\n`, { query });
    expect(errors.map((error) => error.code)).toEqual(Array(count).fill('CONDITION_NOT_SUPPORTED'));
  });

  test('a column of conditions that is ignored makes no row invalid', async () => {
    const { rows } = await readCsv('old_path,new_path,query\n/a,/b,false\n', { columns: { query: '' } });
    expect(rows).toHaveLength(1);
  });
});
