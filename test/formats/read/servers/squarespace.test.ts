/** Holds the rules of src/formats/read/servers/squarespace.ts. */
import { expect, test } from 'vitest';
import { formatOf, readServerFile } from './read.ts';

test.each([
  ['/a -> /b 301', 'squarespace'],
  ['\n# moved\n/a   ->   https://other.example/ 302', 'squarespace'],
  ['/a -> /b', 'squarespace'],
  ['/a,-> /b', undefined],
])('the content %j is recognized as %s', async (content, format) => {
  expect(await formatOf(content)).toBe(format);
});

test('paths, names and targets keep their meaning, and options that are not documented have no notice', async () => {
  const { rules, errors, notices } = await readServerFile(
    [
      '/über-uns -> /about#team 301',
      '/a%20b/ -> /b?x=$1 302',
      '/shop/[name] -> https://www.example.com/store/[name] 301',
      '/blog/[year]/[month]/[title] -> /news/[title]?from=[year]-[month] 302',
      '/l*/:x -> /y 301',
    ].join('\r\n'),
    { query: 'exact', trailingSlash: 'ignore' },
  );
  expect(errors).toEqual([]);
  expect(rules).toEqual([
    '301 /über-uns /about#team',
    '302 /a%20b/ /b?x=$1',
    '301 ~^/shop/([^/]+)$ /store/$1',
    '302 ~^/blog/([^/]+)/([^/]+)/([^/]+)$ /news/$3?from=$1-$2',
    '301 /l*/:x /y',
  ]);
  expect(notices).toEqual(['CONVERTED_TO_PATTERN old_path 2', 'HOST_REMOVED new_path 1']);
});

test('a line that is not a mapping, or has no equal redirect, is an error row with the line', async () => {
  const { errors } = await readServerFile(
    [
      '/a -> /b',
      '/a -> /b 308',
      '/a => /b 301',
      '/a b -> /c 301',
      'a -> /b 301',
      '/a -> b 301',
      '/a?x=1 -> /b 301',
      '/a -> /b/[name] 301',
      '/a/[name] -> /b/[other] 301',
      '/a/*/[name] -> /b/[name] 301',
      '/first/[name] -> /x/[name] 301',
      '/first/page -> /y 301',
    ].join('\n'),
  );
  expect(errors.map((error) => error.replace(/;.*/, ''))).toEqual([
    '1 MALFORMED_ROW "" is not a status of a URL mapping',
    '2 MALFORMED_ROW "308" is not a status of a URL mapping',
    '3 MALFORMED_ROW this is not a URL mapping',
    '4 MALFORMED_ROW this is not a URL mapping',
    '5 MALFORMED_ROW the source is not a path',
    '6 MALFORMED_ROW the target is neither a path nor an address',
    '7 CONDITION_NOT_SUPPORTED Squarespace compares the path without query and fragment',
    '8 CONDITION_NOT_SUPPORTED the target has a [name], and the source has none',
    '9 CONDITION_NOT_SUPPORTED new_path is "/b/[other]": "/a/[name]" has no [other]',
    '10 CONDITION_NOT_SUPPORTED a "*", ":" or "$1" beside a [name] cannot be converted',
    '12 ORDER_CONFLICT line 11 also matches this path and is used first',
  ]);
  expect(errors[1]).toMatch(/; statement: \/a -> \/b 308$/);
});
