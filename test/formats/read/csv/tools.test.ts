/**
 * Holds the rules of src/formats/read/csv/tool-rows.ts, src/formats/read/csv/tools/drupal.ts, hubspot.ts, typo3.ts and
 * tool-cells.ts.
 */
import { expect, test } from 'vitest';
import { csvRow, readCsv } from './csv-file.ts';

const TYPO3 = 'source_host;source_path;is_regexp;target;target_statuscode;disabled;starttime;endtime\n';

test('TYPO3: an empty status is 307, and times are seconds', async () => {
  const file = `\ufeff${TYPO3}*;/a;0;/b;;0;0;0\r\nexample.com;/c;0;/d;302;1;1893456000;1893542400\r\n`;
  const { rows, errors, layout } = await readCsv(Buffer.from(file, 'utf16le'));
  expect([errors, layout.format]).toEqual([[], 'typo3']);
  expect(rows).toEqual([
    csvRow(2, '/a', { newPath: '/b', statusCode: 307, isRegex: false, activeFrom: null, activeUntil: null }),
    csvRow(3, '/c', {
      ...{ newPath: '/d', statusCode: 302, isRegex: false, draft: true },
      ...{ activeFrom: new Date('2030-01-01T00:00:00Z'), activeUntil: new Date('2030-01-02T00:00:00Z') },
    }),
  ]);
});

test.each([
  ['#^/a|b#', 'CONDITION_NOT_SUPPORTED', undefined],
  ['/^\\/a\\/(\\d+)$/', undefined, String.raw`^/a/(\d+)$`],
  ['~/a~u', undefined, '^/(?:.*/)?a.*$'],
  ['#^/a', 'CONDITION_NOT_SUPPORTED', undefined],
  ['#', 'CONDITION_NOT_SUPPORTED', undefined],
  ['', 'CONDITION_NOT_SUPPORTED', undefined],
  ['(^/a$)', 'CONDITION_NOT_SUPPORTED', undefined],
  ['#^/a$#e', 'CONDITION_NOT_SUPPORTED', undefined],
  ['#^/a\\?b=1$#', 'CONDITION_NOT_SUPPORTED', undefined],
])('TYPO3: the pattern %j is %s %s', async (pattern, code, oldPath) => {
  const { rows, errors } = await readCsv(`${TYPO3}*;${pattern};1;/b;301;0;0;0\n`);
  if (oldPath !== undefined) expect(rows.map((row) => row.oldPath)).toEqual([oldPath]);
  else if (rows.length > 0) expect(rows[0]?.oldPath).toBe('^/(?:a.*|.*b.*)$');
  else expect(errors.map((error) => error.code)).toEqual([code]);
});

test.each(['t3://page?uid=1', 't3://file?uid=7', 'T3://page?uid=1#2', '17', 'file:3'])(
  'TYPO3: the target %s is an invalid row that says what to export instead',
  async (target) => {
    const { errors } = await readCsv(`${TYPO3}*;/a;0;${target};302;0;0;0\n`);
    expect(errors).toMatchObject([{ line: 2, column: 'new_path', code: 'CONDITION_NOT_SUPPORTED' }]);
    expect(errors[0]?.message).toContain('export the redirects with the URLs of their targets');
  },
);

test('a row that ends early, with too many cells, or with other types is invalid and not guessed', async () => {
  const { rows, errors } = await readCsv(
    `${TYPO3}*;/a\n*;/b;0;/c;301;0;0;0;surplus\n*;/d;yes!;/e;301;0;0;0\n*;/f;0;/g;301;0;soon;0\n*;/h;0;"/i\n`,
  );
  expect(rows.map((row) => [row.oldPath, row.newPath, row.statusCode])).toEqual([['/a', null, 307]]);
  expect(errors.map((error) => `${error.line} ${error.code}`)).toEqual([
    '3 MALFORMED_ROW',
    '4 INVALID_BOOLEAN',
    '5 INVALID_SCHEDULE',
    '6 MALFORMED_ROW',
  ]);
});

test('a column of the tool that is mapped to nothing is not read', async () => {
  const file = 'source,redirect,language\nold,/new,de\n';
  expect((await readCsv(file)).errors).toHaveLength(1);
  const { rows, layout } = await readCsv(file, { columns: { language: '' } });
  expect(rows).toMatchObject([{ oldPath: '/old', newPath: '/new' }]);
  expect(layout.notices).toContainEqual({ code: 'COLUMN_IGNORED', column: 'language', count: 1 });
});

test('HubSpot: the columns of its settings, in any order', async () => {
  const { rows, errors, layout } = await readCsv(
    'Redirect style,Original URL,Destination URL,Redirect type\n' +
      'Permanent (301),https://example.com/{a-b}/{*rest},/x/{rest}/{a-b},Flexible pattern\n' +
      'temporary,/c,/d,Standard\n' +
      'Permanent,/e/{f},/g/{f},\n',
  );
  expect(layout.format).toBe('hubspot');
  expect(rows.map((row) => [row.oldPath, row.newPath, row.statusCode])).toEqual([
    ['^/([^/]+)/(.+)$', '/x/$2/$1', 301],
    ['/c', '/d', 302],
  ]);
  expect(errors.map((error) => error.code)).toEqual(['AMBIGUOUS_WILDCARD']);
});

test.each([
  ['/{a}/*', '/x'],
  ['/{a}/[b]', '/x'],
  ['/{a}', '/x/$1'],
  ['/{a}', '/x/*'],
  ['/{1}', '/x/{1}'],
  ['/{a}?b=1', '/x'],
  ['/{a}/{b', '/x'],
  ['/{a}'.repeat(101), '/x'],
])('HubSpot: the flexible pattern %s to %s is invalid', async (source, target) => {
  const { rows, errors } = await readCsv(
    `Original URL,Redirect to,Redirect type\n${source},${target},Flexible pattern\n`,
  );
  expect([rows, errors.map((error) => error.code)]).toEqual([[], ['CONDITION_NOT_SUPPORTED']]);
});

const HUBSPOT = 'Original URL,Redirect to,Redirect type,Redirect style,Match query string,Ignore trailing slash\n';

test('HubSpot: a pattern of a row that ignores the final slash has both spellings', async () => {
  const file = `${HUBSPOT}/a/{b},/c/{b},Flexible pattern,301,false,true
/d/{*e},/f/{e},Flexible pattern,301,false,true
/g/{h}/,/i/{h},Flexible pattern,301,false,true
/j/{k},/l/{k},Flexible pattern,301,false,false
`;
  const { rows } = await readCsv(file);
  expect(rows.map(({ oldPath }) => oldPath)).toEqual([
    '^/a/([^/]+)/?$',
    '^/d/(.+?)/?$',
    '^/g/([^/]+)/?$',
    '^/j/([^/]+)$',
  ]);
});

test('HubSpot: rows that do not compare the query want any website that does not compare it', async () => {
  const file = `${HUBSPOT}/a,/b,Standard,301,false,true\n/c,/d,Standard,301,false,true\n/e,/f,Standard,301,true,true\n`;
  const sidesAt = async (query: 'pass' | 'drop' | 'exact') => {
    const { layout } = await readCsv(file, { query });
    return layout.notices.find(({ column }) => column === 'query')?.sides?.map(({ value, count }) => [value, count]);
  };
  expect(await sidesAt('pass')).toEqual([
    ['pass', 2],
    ['exact', 1],
  ]);
  expect((await sidesAt('drop'))?.[0]).toEqual(['drop', 2]);
  expect((await sidesAt('exact'))?.[0]).toEqual(['pass', 2]);
});

test('Shlink: targets with a query, of which the value of the request wins there', async () => {
  const file = 'Long URL,Short code,Domain\nhttps://example.com/a?b=1,a,\nhttps://example.com/c,c,\n';
  const { layout } = await readCsv(file);
  expect(layout.notices).toContainEqual({ code: 'WEBSITE_OPTION', column: 'Long URL', count: 1 });
});

test('SEOPress: patterns are compared with path and query, whatever the column of the query says', async () => {
  const row = (path: string, query: string, regex: string) => `${path};/x;301;yes;${query};0;;${regex};both\n`;
  const sidesOf = async (rows: string, query: 'pass' | 'exact') => {
    const { layout } = await readCsv(rows, { query });
    return layout.notices.flatMap(({ column, sides = [] }) =>
      column === 'query' ? sides.map(({ value, lines }) => [value, ...lines]) : [],
    );
  };
  const closed = row('^a$', 'exact_match', 'yes') + row('b', 'exact_match', '');
  expect(await sidesOf(closed + row('open', 'exact_match', 'yes'), 'exact')).toEqual([
    ['exact', 1, 2],
    ['drop', 3],
  ]);
  const passed = row('^a$', 'with_ignored_param', 'yes') + row('open', 'with_ignored_param', 'yes');
  expect(await sidesOf(passed + row('b', 'with_ignored_param', ''), 'pass')).toEqual([
    ['pass', 2, 3],
    ['exact', 1],
  ]);
});
