/**
 * Holds the rules of src/formats/read/servers/recognize.ts, statement.ts, to-row.ts, physical-lines.ts,
 * read-server-file.ts and target-parts.ts.
 */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

test.each([
  ['/a /b', 'netlify'],
  ['# comment\n\n/a  /b  301!', 'netlify'],
  ['/store id=1 /b', 'netlify'],
  ['/a https://other.example/ 302', 'netlify'],
  ['/a,/b', undefined],
  ['/a b,/c', undefined],
  ['/a\t/b\t301', undefined],
  ['from,to\n/a /b', undefined],
])('the content %j is recognized as %s', async (content, format) => {
  expect(await formatOf(content)).toBe(format);
});

test('the name _redirects decides about a file that could be CSV with tabs', async () => {
  expect(await formatOf('/a\t/b', '_redirects')).toBe('netlify');
  await expect(formatOf('from,to', '_redirects')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('splats, placeholders and dollars keep their meaning', async () => {
  const { rules, notices } = await readServerFile(
    [
      '/news/* /blog/:splat',
      '/* /all/:splat',
      '/:year/:id/ /$1/:id.:year',
      '/a.b/:x /1:x0',
      '/x/* https://www.example.com/y/:splat',
    ].join('\n'),
    { trailingSlash: 'ignore' },
  );
  expect(rules).toEqual([String.raw`301 ~^/news(?:/(.*))?$ /blog/$1`, String.raw`301 ~^/(.*)$ /all/$1`]);
  expect(notices).toEqual(['CONVERTED_TO_PATTERN old_path 2']);
});

test('a statement that an earlier one answers is an error if it would win here', async () => {
  const { rules, errors } = await readServerFile('/b/* /c/:splat\n/b/x /y\n/d/e /f\n/d/* /g\n/d/e/ /h\n/b/x/* /z', {
    trailingSlash: 'ignore',
  });
  expect(rules).toEqual(['301 ~^/b(?:/(.*))?$ /c/$1', '301 /d/e /f', '301 ~^/d(?:/(.*))?$ /g']);
  expect(errors.map((error) => error.replace(/;.*/, ''))).toEqual([
    '2 ORDER_CONFLICT line 1 also matches this path and is used first',
    '5 ORDER_CONFLICT line 3 has the same path and is used first',
    '6 ORDER_CONFLICT line 1 matches all paths of this line and is used first',
  ]);
});

test('an error quotes its statement and its physical line', async () => {
  const { errors } = await readServerFile('# one\r\n\r\n/a /b 200\r\n/c :d\r\n/e /f x\r\n/g*h /i\r\n/j /k/*');
  expect(errors).toEqual([
    '3 CONDITION_NOT_SUPPORTED a 200 is a rewrite, which shows another page, and is not a redirect; remove the line; statement: /a /b 200',
    '4 MALFORMED_ROW the target is missing; write a path, or an address with https://; statement: /c :d',
    '5 MALFORMED_ROW "x" is not a status; write one such as 301; statement: /e /f x',
    '6 CONDITION_NOT_SUPPORTED Netlify reads "*" only at the end; write it as in /blog/*; statement: /g*h /i',
    '7 CONDITION_NOT_SUPPORTED the target has a wildcard, and the source has none; add it to the source; statement: /j /k/*',
  ]);
});

test('options of the website that decide differently are counted', async () => {
  const { notices } = await readServerFile('/a /b\n/c?d /e\n/f g=1 /h', { query: 'drop', caseSensitive: false });
  expect(notices).toEqual([
    'QUERY_PAIRS old_path 1',
    'WEBSITE_OPTION query pass 2',
    'WEBSITE_OPTION trailing_slash ignore 2',
    'WEBSITE_OPTION case_sensitive true 2',
  ]);
});

test('lines that are too long or no text are errors, and the others are read', async () => {
  const content = Buffer.concat([
    Buffer.from(`/a /b\n/long /${'x'.repeat(70_000)}\n/c /`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('\n/d /e\n'),
  ]);
  const { rules, errors } = await readServerFile(content);
  expect(rules).toEqual(['301 /a /b', '301 /d /e']);
  expect(errors.map((error) => error.slice(0, 60))).toEqual([
    '2 MALFORMED_ROW the line is longer than 64 KiB; statement: /',
    '3 MALFORMED_ROW the line is not valid text in the encoding o',
  ]);
});
