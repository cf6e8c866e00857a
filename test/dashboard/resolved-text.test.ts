import { expect, test } from 'vitest';
import type { ResolvedUrl } from '../../dashboard/src/screens/tester/expected-lines.ts';
import { csvOf, kindOf, rowsOf, sheetOf } from '../../dashboard/src/screens/tester/resolved-text.ts';

const hop = { url: '/a', redirect_id: 1, status_code: 301, location: '/b' };
const result = (fields: Partial<ResolvedUrl>): ResolvedUrl => ({
  url: '/a',
  outcome: 'end',
  status_code: 301,
  location: '/b',
  redirect_id: 1,
  inactive: null,
  final_url: '/b',
  hops: [hop],
  ...fields,
});

test('a result is one redirect, a chain, a loop, gone, a fallback or not found', () => {
  expect(kindOf(result({}))).toBe('redirected');
  expect(kindOf(result({ hops: [hop, hop] }))).toBe('chain');
  expect(kindOf(result({ outcome: 'loop', hops: [hop, hop] }))).toBe('loop');
  expect(kindOf(result({ outcome: 'too-many', hops: [hop, hop] }))).toBe('loop');
  expect(kindOf(result({ status_code: 410, location: null }))).toBe('gone');
  const unmatched = { redirect_id: null, hops: [] };
  expect(kindOf(result({ ...unmatched, status_code: 404, location: null }))).toBe('missing');
  expect(kindOf(result({ ...unmatched, status_code: 302, location: 'https://x.example/a' }))).toBe('fallback');
});

const unexpected = { expected: undefined, isExpected: undefined };

test('the copied results are one row per URL, and no cell is a formula', () => {
  const rows = rowsOf([
    { result: result({}), ...unexpected },
    { result: result({ url: '=1+1\t', final_url: '/b\n/c' }), ...unexpected },
  ]);
  expect(sheetOf(rows).split('\n')).toEqual([
    'URL\tResult\tStatus\tLocation\tRedirects\tFinal URL',
    '/a\tRedirected\t301\t/b\t1\t/b',
    ' =1+1 \tRedirected\t301\t/b\t1\t/b /c',
  ]);
});

test('a CSV has what was expected, in quotes', () => {
  const rows = rowsOf([
    { result: result({}), expected: { target: '/"c"', status: undefined }, isExpected: false },
    { result: result({}), ...unexpected },
  ]);
  expect(csvOf(rows).split('\r\n')).toEqual([
    '"URL","Result","Status","Location","Redirects","Final URL","Expected","Expected status","Comparison"',
    '"/a","Redirected","301","/b","1","/b","/""c""","","Not as expected"',
    '"/a","Redirected","301","/b","1","/b","","",""',
  ]);
});
