/** Notices and errors of rows: each notice has its own words, and no text names the API. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOfWebsite, mergedNotices, noticeText } from '../../dashboard/src/screens/import/notice-words.ts';
import {
  foreignHost,
  isMissingSlash,
  rowErrorText,
  sourceText,
  statementOf,
} from '../../dashboard/src/screens/import/rows/row-words.ts';
import { checkRow } from '../../src/formats/rows/row.ts';
import { isRowError } from '../../src/rules/entry.ts';
import { ERROR_CODES } from '../../src/vocabulary/error.ts';
import { NOTICE_CODES } from '../../src/vocabulary/import/issue.ts';
import { ROW_ERROR_CODES } from './row-error-codes.ts';
import { readCsv } from '../formats/read/csv/csv-file.ts';
import { readServerFile } from '../formats/read/servers/read.ts';

/** No names of fields, options, endpoints or codes. */
const API_NAMES = /\b[a-z]+_[a-z_]+\b|\b[A-Z]+_[A-Z_]+\b|=(true|convert)|\/api\/|\boption columns\b|''/;
const SENTENCE = /^["“A-Z]/;

describe('each notice has words of its own', () => {
  const notices = NOTICE_CODES.map((code) => ({ code, column: 'Weather' }));
  test.each(notices)('the notice $code of $column', ({ code, column }) => {
    const notice = { code, column, count: 1 };
    const words = noticeText(notice);
    expect(words).toMatch(SENTENCE);
    expect(words).not.toMatch(API_NAMES);
    expect(notices.filter((other) => noticeText({ ...other, count: 1 }) === words)).toEqual([{ code, column }]);
    expect(isOfWebsite(notice)).toBe(false);
  });

  test('the own host in sources and in targets is one notice with the sum', () => {
    const ofColumn = (column: string) => ({ code: 'HOST_REMOVED', column, count: 2 });
    expect(mergedNotices(['old_path', 'new_path'].map(ofColumn))).toMatchObject([{ code: 'HOST_REMOVED', count: 4 }]);
  });

  const side = (value: string, ...lines: number[]) => ({ value, count: lines.length, lines });
  test.each([
    [
      'query',
      'pass',
      [side('exact', 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), side('drop', 12, 13), side('pass', 14)],
      '10 rows want query strings compared (lines 2, 3, 4, 5, 6, 7, 8, 9 and 2 more), 2 want them dropped (lines 12, 13), 1 wants them passed on (line 14). This website passes them on',
    ],
    [
      'trailing_slash',
      'ignore',
      [side('ignore', 2, 3), side('exact', 4)],
      '2 rows want the slash at the end ignored (lines 2, 3), 1 wants it compared (line 4). This website ignores it, as most rows want',
    ],
    [
      'case_sensitive',
      'true',
      [side('false', 2)],
      '1 row wants upper and lower case ignored (line 2). This website compares it',
    ],
  ])('an option about which rows do not agree with the website: %s', (column, current, sides, words) => {
    const [{ value, count } = side('')] = sides.filter((each) => each.value !== current);
    const notice = { code: 'WEBSITE_OPTION', column, value, count, current, sides };
    expect([noticeText(notice), isOfWebsite(notice)]).toEqual([words, true]);
  });
});

test('the list of codes has all that the readers of files report', () => {
  const root = join(import.meta.dirname, '..', '..', 'src');
  const files = globSync('{rules,redirects/rule,formats/rows,formats/read/{csv,servers}}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(40);
  const named = files.flatMap(
    (file) => readFileSync(join(root, file), 'utf8').match(/(?<=')[A-Z]{2,}(?:_[A-Z]+)+(?=')/g) ?? [],
  );
  // All but the last concern the whole file, the last a single redirect.
  const others = [
    ...['UNKNOWN_COLUMN', 'DUPLICATE_COLUMN', 'TOO_MANY_REDIRECTS', 'TOO_MANY_DELETES', 'PLAN_LIMIT_EXCEEDED'],
    'REDIRECT_NOT_FOUND',
  ];
  const known: readonly string[] = [...ROW_ERROR_CODES, ...others];
  const missing = new Set(named.filter((code) => Object.hasOwn(ERROR_CODES, code) && !known.includes(code)));
  expect([...missing]).toEqual([]);
});

/** A header, and rows that are invalid for one reason each. */
const FILES: readonly string[] = [
  'old_path,new_path\nno-slash,/x\n,/x\nftp://a.example/b,/x\n//a,/x\n/a#b,/x\n/a,x y\n/a,x\n/a,http://x\n/a,\n/a,/a',
  'old_path,new_path\n/a,https://elsewhere.example/\n/a,https://example.com/a\nhttps://other.example/a,/b\n/*,/x\n/a,/$1',
  'old_path,new_path,status_code\n/a,/b,x\n/a,/b,200\n/a,/b,410\n/a,/b,0301',
  'old_path,new_path,is_regex\n^/(a,/b,true\n^/a\\?b,/c,true\n^/(?=x),/b,true\n^/a(.*),/$2,true\n/a,/b,perhaps\nx,/y,true',
  'old_path,new_path,active_from,active_until\n/a,/b,soon,\n/a,/b,2030-01-01T00:00:00Z,2029-01-01T00:00:00Z',
  'old_path,new_path,target_environments\n/a,/b,prod\n/a,/b,"staging,staging"',
  `old_path,new_path,group_id,notes\n/a,/b,${'g'.repeat(201)},\n/a,/b,,${'n'.repeat(2_001)}\n/${'p'.repeat(2_050)},/b,,`,
  'old_path,new_path,website_id\n/a,/b,9\n/a,/b,x',
  'old_path,new_path\n/a,/b,surplus\n"/a,/b',
  'source,target,match_type\n/a,/b,sometimes\n/a?b,/c,start',
  'source,target,query\n/a,/b,drop\n/a,/b,perhaps',
  'source,target,regex,code,action_type\n/a,/b,0,301,pass\n^/q\\?id=(\\d+),/b,1,301,url',
  'type,source,target,command\n301,/a,/b,DELETE',
];

test.each(FILES)('the errors of a file have no names of the API: %#', async (file) => {
  const { rows, errors } = await readCsv(file, { websiteId: 3, ignoreUnknown: true });
  const found = [
    ...errors,
    ...rows.map((row) => checkRow(row, { allowedTargetHosts: [], servesRules: () => false })),
  ].filter(isRowError);
  expect(found.length).toBeGreaterThan(0);
  for (const error of found) {
    expect([error.message, ROW_ERROR_CODES]).toEqual([error.message, expect.arrayContaining([error.code])]);
    const text = rowErrorText(error);
    expect(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(API_NAMES);
    expect(text).toMatch(SENTENCE);
  }
});

test('values of the file stay as they are', () => {
  const message = 'new_path is "x?website_id=5": must begin with exactly one "/"';
  expect(rowErrorText({ column: 'new_path', message })).toBe('To is "x?website_id=5": must begin with exactly one "/"');
});

test('the host of another website is found in the errors of each kind of file', async () => {
  const nginx = await readServerFile('server {\n  server_name shop.example.com;\n  rewrite ^/a$ /b permanent;\n}\n');
  const apache = await readServerFile(
    '<VirtualHost *:80>\nServerName shop.example.com\nRedirect 301 /a /b\n</VirtualHost>\n',
  );
  const csv = await readCsv('old_path,new_path\nhttps://shop.example.com/a,/b\n', { websiteId: 3 });
  for (const { errors } of [nginx, apache, csv])
    expect(errors.map((error) => foreignHost(typeof error === 'string' ? error : error.message))).toEqual([
      'shop.example.com',
    ]);
  expect(foreignHost('old_path is empty; write the path to redirect from')).toBeUndefined();
});

test('a missing slash is recognized', () => {
  expect(isMissingSlash('old_path is "a"; begin it with / or import with add_slash=true')).toBe(true);
  expect(isMissingSlash('old_path is empty; write the path to redirect from')).toBe(false);
});

/** Statements that have no equal redirect. */
const STATEMENTS: readonly [name: string, content: string][] = [
  ['_redirects', '/a_b /b 200\n/c\n/d /e x\n/e* /f\n/g /h 301 Country=de\n/i q=:q /j\n/k/:x /:y\n/a /b\n/a /c'],
  [
    '.htaccess',
    'Redirect 301 a /b\nRedirect 200 /a /b\nRedirect 301 /a%20b /c\nRewriteRule ^a_b$ /c [R,C]\nRewriteCond %{HTTP_COOKIE} x_y\nRewriteRule ^c$ /d [R]\n<Location /x>\nRedirect 301 /e /f\n</Location>',
  ],
  [
    'nginx.conf',
    'server {\nlocation /a { if ($arg_x) { return 301 /b; } }\nlocation /c { return 301 $my_var; }\nlocation @d { return 301 /x; }\n}',
  ],
  [
    'vercel.json',
    '{"redirects":[{"source":"a_b","destination":"/c"},{"source":"/d","destination":"/e","has":[{"type":"host"}]},{"source":"/f"}]}',
  ],
  ['next.config.json', '[{"source":"/a/{b}","destination":"/c","permanent":true},{"source":"/d","destination":"/e"}]'],
];

test.each(STATEMENTS)(
  'the errors of %s quote the statement, and have no names of the API',
  async (fileName, content) => {
    const { errors } = await readServerFile(content, { fileName });
    expect(errors.length).toBeGreaterThan(1);
    for (const error of errors) {
      const [, code = '', message = ''] = /^\d+ ([A-Z_]+) (.*)$/.exec(error) ?? [];
      expect(ROW_ERROR_CODES).toContain(code);
      const text = rowErrorText({ column: 'row', message });
      // Variables are names of the server.
      expect(text.replaceAll(/[%$][{\w}]+/g, '')).not.toMatch(API_NAMES);
      expect(text).not.toContain('statement:');
      const statement = statementOf(message) ?? '';
      expect(statement.split(/\s+/).filter((word) => !content.includes(word))).toEqual([]);
      expect(statement).not.toBe('');
    }
  },
);

test('the text of a row is its statement, its cells, or its path', () => {
  const error = { column: 'old_path', code: 'INVALID_OLD_PATH', message: 'is not a path' };
  const row = { error, old_path: 'bad', values: { old_path: 'bad', new_path: '/x' } };
  expect(sourceText(row)).toBe('bad, /x');
  expect(sourceText({ ...row, values: null })).toBe('bad');
  expect(sourceText({ error, old_path: null, values: null })).toBe('');
  const ofServer = { ...error, message: 'The target is missing; statement: Redirect 301 /a' };
  expect(sourceText({ ...row, error: ofServer })).toBe('Redirect 301 /a');
});
