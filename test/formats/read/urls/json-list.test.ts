import { describe, expect, test } from 'vitest';
import { readList } from './list-file.ts';

const ENTRIES = [
  '/a',
  {
    url: ' /b ',
    title: 'B\n title',
    description: 'D',
    headline: 'H',
    clicks: 3,
    links: 0,
    status: 200,
    noindex: false,
  },
  { url: '/c', title: null, clicks: null, status: 404 },
  { url: '/d', noindex: true },
  { url: '/e', canonical: '/f' },
  { url: '/g', state: 'removed' },
];
const ROWS = [
  { url: '/a', living: true },
  { url: '/b', title: 'B title', description: 'D', headline: 'H', clicks: 3, links: 0, living: true },
  { url: '/c', living: false },
  { url: '/d', living: false },
  { url: '/e', living: false },
  { url: '/g', living: false },
];

test('JSON counts entries from 0, NDJSON lines from 1', async () => {
  for (const body of [{ urls: ENTRIES }, ENTRIES])
    expect(await readList(JSON.stringify(body))).toEqual({
      rows: ROWS.map((row, line) => ({ line, ...row })),
      invalid: [],
    });
  const lines = ENTRIES.slice(1).map((entry) => JSON.stringify(entry));
  expect(await readList(lines.join('\r\n\n'))).toEqual({
    rows: ROWS.slice(1).map((row, nth) => ({ line: nth * 2 + 1, ...row })),
    invalid: [],
  });
});

test.each([
  [{}, '', 'MISSING_PARAMETER'],
  [{ url: ' ' }, '', 'MISSING_PARAMETER'],
  ['', '', 'MISSING_PARAMETER'],
  [7, '7', 'INVALID_PARAMETER'],
  [null, 'null', 'INVALID_PARAMETER'],
  [['/a'], '[…]', 'INVALID_PARAMETER'],
  [{ url: { a: '/a' } }, 'url: {…}', 'INVALID_PARAMETER'],
  [{ url: 7 }, 'url: 7', 'INVALID_PARAMETER'],
  [{ url: '/a', clicks: -1 }, 'clicks: -1', 'INVALID_PARAMETER'],
  [{ url: '/a', links: '3' }, 'links: "3"', 'INVALID_PARAMETER'],
  [{ url: '/a', noindex: 'yes' }, 'noindex: "yes"', 'INVALID_PARAMETER'],
  [{ url: '/a', slug: 'a' }, 'slug: "a"', 'UNKNOWN_FIELD'],
  [{ url: '/a', __proto__x: 1, constructor: 1 }, '__proto__x: 1', 'UNKNOWN_FIELD'],
  [`/${'a'.repeat(2048)}`, `/${'a'.repeat(199)}`, 'TOO_LONG'],
  ['/a\0b', '/a\ufffdb', 'CONTROL_CHARACTER'],
  ['/a\ud800b', '/a\ufffdb', 'CONTROL_CHARACTER'],
])('the entry %j is invalid, the others count', async (entry, value, code) => {
  expect(await readList(JSON.stringify(['/x', entry, '/y']))).toEqual({
    rows: [
      { line: 0, url: '/x', living: true },
      { line: 2, url: '/y', living: true },
    ],
    invalid: [{ line: 1, value, code }],
  });
});

describe('bodies that are broken as a whole', () => {
  test.each([
    ['truncated', '{"urls": ["/a", "/b"', 'INVALID_JSON'],
    ['text after the end', '["/a"] x', 'INVALID_JSON'],
    ['an entry above 64 KiB', JSON.stringify(['/a', 'b'.repeat(70_000)]), 'BODY_TOO_LARGE'],
    ['an unknown field', '{\n"urls": [], "list": "blog"}', 'UNKNOWN_FIELD'],
    ['no list', '{\n}', 'MISSING_PARAMETER'],
    ['another type', '{"urls": "/a"}', 'INVALID_PARAMETER'],
    ['invalid UTF-8', Buffer.from('["/\u00fc"]', 'latin1'), 'INVALID_JSON'],
  ])('%s', async (_name, body, code) => {
    await expect(readList(body)).rejects.toMatchObject({ code });
  });

  test('a line of NDJSON alone is invalid', async () => {
    const lines = ['{"url":"/a"}', '{"url":', '{"url":"/b"}', `{"url":"/${'b'.repeat(70_000)}"}`, '"/c"'];
    const { rows, invalid } = await readList(lines.join('\n'));
    expect(rows.map(({ line, url }) => `${line} ${url}`)).toEqual(['1 /a', '3 /b', '5 /c']);
    expect(invalid.map(({ line, code }) => `${line} ${code}`)).toEqual(['2 INVALID_JSON', '4 TOO_LONG']);
  });
});
