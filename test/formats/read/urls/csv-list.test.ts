import { describe, expect, test } from 'vitest';
import { codesOf, readList, urlsOf } from './list-file.ts';

describe('headers', () => {
  test.each([
    'Address',
    'URL',
    'page_url',
    'TARGET URL',
    'Top pages',
    'loc',
    'Pages les plus populaires',
    '上位のページ',
  ])('%s has the URLs', async (header) => {
    expect(await urlsOf(`Note;${header}\nx;/a\n`)).toEqual(['/a']);
  });

  test('the URL that a file is about wins over the page that links', async () => {
    expect((await readList('Source URL,Target URL,Backlinks\nhttps://o.example/,/a,7\n')).rows).toEqual([
      { line: 2, url: '/a', living: true, isBacklink: true },
    ]);
    expect((await readList('Source URL,Backlinks\n/a,7\n')).rows).toEqual([
      { line: 2, url: '/a', living: true, links: 7 },
    ]);
  });

  test('referring domains count before backlinks', async () => {
    expect((await readList('URL,Backlinks,Referring domains\n/a,70,7\n')).rows).toMatchObject([{ links: 7 }]);
  });

  test.each([
    ['unknown headers', 'Keyword,Volume\na,3\n', '"Keyword", "Volume"'],
    ['only the page that links', 'Linking page,Last crawled\nhttps://o.example/,2026-01-01\n', '"Linking page"'],
    ['no header row', '/a,200,Title of a\n/b,200,Title of b\n', '"/a", "200"'],
    ['no header row, with tabs', 'https://a.example/a\t\nhttps://a.example/b\t\n', '"https://a.example/a", ""'],
  ])('%s reject the file', async (_name, text, shown) => {
    await expect(readList(text)).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      issues: [{ path: 'body', message: expect.stringContaining(`Top pages; it has ${shown}`) }],
    });
  });

  test('two columns of URLs reject the file', async () => {
    await expect(readList('URL,Page URL\n/a,/b\n')).rejects.toMatchObject({
      code: 'DUPLICATE_COLUMN',
      details: 'body: "URL" and "Page URL" both have URLs; rename one',
    });
  });
});

describe('cells', () => {
  test('a URL that was not living when it was exported does not become living; a state of a country says nothing', async () => {
    const { rows } = await readList('url,state\n/a,living\n/b,removed\n/c,known\n/d,Texas\n');
    expect(rows.map(({ living }) => living)).toEqual([true, false, false, true]);
  });

  test.each([
    ['1,234', 1234],
    ['1.234.567', 1234567],
    ['1 234', 1234],
    ['1\u00a0234', 1234],
    ['1\u202f234', 1234],
    ['1’234', 1234],
    ['0', 0],
    ['12.0', 12],
    ['-', undefined],
    ['', undefined],
  ])('%j clicks are %s', async (cell, clicks) => {
    const { rows } = await readList(`URL,Clicks\n/a,"${cell}"\n`);
    expect(rows[0]?.clicks).toBe(clicks);
  });

  test.each(['1.5', '12,34', '-3', 'many', '1e3', '1234567890123456789'])('%j clicks are invalid', async (cell) => {
    expect(await readList(`URL,Clicks\n/a,"${cell}"\n/b,1\n`)).toMatchObject({
      rows: [{ line: 3 }],
      invalid: [{ line: 2, value: cell, code: 'INVALID_PARAMETER' }],
    });
  });

  test('a title is on one line and has at most 500 characters', async () => {
    const { rows } = await readList(`URL,Title\n/a,"a\r\n\tb"\n/b,${'x'.repeat(499)}😀y\n/c,${'😀'.repeat(250)}\n`);
    expect(rows.map(({ line, title }) => [line, title])).toEqual([
      [2, 'a b'],
      [4, 'x'.repeat(499)],
      [5, '😀'.repeat(250)],
    ]);
  });

  test('rows that cannot be read', async () => {
    const long = '/a'.repeat(1025);
    const rows = ['/a,1,surplus', ',1', '"/a,1', `${long},1`, '/a\0,1', `/b,${'x'.repeat(70_000)}`, ',', '', '/z,1,'];
    expect(await codesOf(`URL,Clicks\n${rows.join('\n')}\n`)).toEqual([
      '2 MALFORMED_ROW',
      '3 MISSING_PARAMETER',
      '4 MALFORMED_ROW',
      '5 TOO_LONG',
      '6 CONTROL_CHARACTER',
      '7 MALFORMED_ROW',
    ]);
  });
});

describe('living pages', () => {
  test.each([
    [
      'Status Code',
      { '200': true, '404': false, '301': false, '0': true, '': true, '-': true, '404 Not Found': false },
    ],
    ['noindex', { true: false, no: true, '': true }],
    ['Meta Robots 1', { 'noindex, follow': false, none: false, 'index, follow': true, 'max-image-preview': true }],
    ['Indexability', { Indexable: true, 'Non-Indexable': false, '': true }],
    ['Indexability Status', { noindex: false, Canonicalised: false, 'Blocked by robots.txt': true }],
    [
      'Canonical',
      {
        '': true,
        'https://www.a.example/p?x=1': true,
        'http://a.example/p?x=1#top': true,
        '/p?x=1': true,
        '/p': false,
        'https://b.example/p?x=1': false,
        'https://': false,
      },
    ],
  ])('%s', async (header, cells) => {
    const lines = Object.keys(cells).map((cell) => `https://www.a.example/p?x=1,"${cell}"`);
    const { rows } = await readList(`URL,${header}\n${lines.join('\n')}\n`);
    expect(rows.map(({ living }) => living)).toEqual(Object.values(cells));
  });

  test('a path is compared with an absolute canonical by its path', async () => {
    const { rows } = await readList('URL,Canonical\n/p,/p\n/p,/q\n/p,#top\n');
    expect(rows.map(({ living }) => living)).toEqual([true, false, true]);
  });

  test('a column named status may have words; a wrong number is invalid', async () => {
    expect((await readList('URL,Status\n/a,published\n/b,404\n')).rows.map(({ living }) => living)).toEqual([
      true,
      true,
    ]);
    expect(await codesOf('URL,Status\n/a,200\n/b,gone\n/c,2000\n')).toEqual([
      '3 INVALID_STATUS_CODE',
      '4 INVALID_STATUS_CODE',
    ]);
    expect(await codesOf('URL,noindex\n/a,maybe\n')).toEqual(['2 INVALID_BOOLEAN']);
  });
});
