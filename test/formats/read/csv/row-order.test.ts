/** Holds the rules of src/formats/read/csv/tools/row-order.ts. */
import { expect, test } from 'vitest';
import { readCsv } from './csv-file.ts';

/** The rows that a file gives, `line code` of its errors, and the lines of ORDER_DIFFERS. */
async function read(content: string, options: Parameters<typeof readCsv>[1] = {}) {
  const { rows, errors, layout } = await readCsv(content, options);
  return {
    lines: rows.map(({ line }) => line),
    errors: errors.map(({ line, code, message }) => `${line} ${code} ${message}`),
    differs: layout.notices.flatMap(({ code, column }) => (code === 'ORDER_DIFFERS' ? [column] : [])),
  };
}

const COVERED = 'matches all paths of this line and is used first; remove this line';
const MATCHED = 'also matches this path and is used first; move this line above it, or remove it';
const SAME = 'has the same path and is used first; remove this line';

const WORDPRESS = 'source,target,regex,code,type,status\n';

test('WordPress Redirection: a row that an earlier pattern answers is invalid', async () => {
  const file = `${WORDPRESS}/early,/x,0,301,url,active
^/wiki/(.*)$,/w/$1,1,301,url,active
/wiki/late,/y,0,301,url,active
^/wiki/(\\d+)$,/z/$1,1,301,url,active
^/early$,/x,1,301,url,active
^/blog/.*x$,/b,1,301,url,active
^/blog/2020/.*$,/c,1,301,url,active
`;
  expect(await read(file)).toEqual({
    lines: [2, 3, 6, 7, 8],
    errors: [`4 ORDER_CONFLICT line 3 ${MATCHED}`, `5 ORDER_CONFLICT line 3 ${COVERED}`],
    differs: ['line 8'],
  });
});

test('WordPress Redirection: only a pattern with an open end matches a query, and disabled rows match nothing', async () => {
  const file = `${WORDPRESS}^/closed$,/x,1,301,url,active
/closed?a=1,/y,0,301,url,active
^/open,/x,1,301,url,active
/open?a=1,/y,0,301,url,active
^/off/.*$,/x,1,301,url,disabled
/off/a,/y,0,301,url,active
`;
  const { lines, errors } = await read(file);
  expect([lines, errors]).toEqual([[2, 3, 4, 6, 7], [`5 ORDER_CONFLICT line 4 ${MATCHED}`]]);
});

test('a repeated path or pattern stays one, as in every CSV file', async () => {
  const file = `${WORDPRESS}/a,/x,0,301,url,active\n/a,/y,0,301,url,active
^/b/(.*)$,/x,1,301,url,active\n^/b/(.*)$,/y,1,301,url,active\n`;
  expect((await read(file)).lines).toEqual([2, 3, 4, 5]);
});

test('Akamai: lines are in order; Yoast: paths precede patterns', async () => {
  const akamai = 'matchURL,result.redirectURL,result.statusCode\n/a/*,/x,301\n/a/b,/y,301\n';
  expect((await read(akamai)).errors).toEqual([`3 ORDER_CONFLICT line 2 ${MATCHED}`]);
  const yoast = 'Origin,Target,Type,Format\n^/a/(.*)$,/x,301,regex\n/a/b,/y,301,plain\n^/a/bb*$,/z,301,regex\n';
  expect((await read(yoast)).errors).toEqual([`4 ORDER_CONFLICT line 2 ${COVERED}`]);
});

test('HubSpot: the lower priority comes first, wherever its line is', async () => {
  const file = (first: string, second: string) => `Original URL,Redirect to,Redirect type,Redirect style,Priority
/fest/sommer,/s,Standard,301,${first}\n/fest/{name},/f/{name},Flexible pattern,301,${second}\n`;
  expect((await read(file('5', '1'))).errors).toEqual([`2 ORDER_CONFLICT line 3 ${MATCHED}`]);
  expect((await read(file('1', '5'))).errors).toEqual([]);
  expect((await read(file('', '1'))).errors).toEqual([]);
});

test('TYPO3: rows of the host precede those of all hosts', async () => {
  const file = `source_host,source_path,is_regexp,target,target_statuscode
*,/a/b,0,/x,301
example.com,#^/a/.*$#,1,/y,301
*,/c,0,/x,301
example.com,/c,0,/y,301
*,#^/d/.*$#,1,/x,301
*,#^/d/e/.*$#,1,/y,301
`;
  expect(await read(file)).toEqual({
    lines: [3, 5, 6, 7],
    errors: [`2 ORDER_CONFLICT line 3 ${MATCHED}`, `4 ORDER_CONFLICT line 5 ${SAME}`],
    differs: [],
  });
});

test('a correction moves with its row', async () => {
  const file = `${WORDPRESS}^/a/(.*)$,/x,1,301,url,active\n/a/b,/y,0,301,url,active\n`;
  const corrections = new Map([[3, { old_path: '/other' }]]);
  expect(await read(file, { corrections })).toEqual({ lines: [2, 3], errors: [], differs: [] });
});
