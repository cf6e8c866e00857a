import { expect, test } from 'vitest';
import type { ResolvedUrl } from '../../dashboard/src/screens/tester/expected-lines.ts';
import {
  brokenText,
  csvOf,
  expectationOf,
  kindOf,
  nearRule,
  rowsOf,
  sheetOf,
} from '../../dashboard/src/screens/tester/resolved-text.ts';

const hop = { url: '/a', redirect_id: 1, status_code: 301, location: '/b' };
const result = (fields: Partial<ResolvedUrl>): ResolvedUrl => ({
  url: '/a',
  outcome: 'end',
  status_code: 301,
  location: '/b',
  redirect_id: 1,
  inactive: null,
  final_url: '/b',
  final_target: null,
  final_page: null,
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

test('with lists of living pages, a living page is no missing redirect, and an end in no list no success', () => {
  const unmatched = { redirect_id: null, hops: [], status_code: 404, location: null };
  expect(kindOf(result({ ...unmatched, final_page: 'living' }))).toBe('living');
  expect(kindOf(result({ ...unmatched, final_page: 'removed' }))).toBe('missing');
  expect(kindOf(result({ final_page: 'living' }))).toBe('redirected');
  expect(kindOf(result({ hops: [hop, hop], final_page: 'unknown' }))).toBe('unlisted');
});

test('a redirect to a target that the live check found broken is no success, and says why', () => {
  const checked = { reason: 'http_404', checked_at: '2026-11-02T03:04:05Z' };
  const dead = result({ final_target: { ...checked, state: 'dead' }, hops: [hop, hop] });
  expect(kindOf(dead)).toBe('broken');
  expect(brokenText(dead.final_target)).toBe('The page does not exist (404)');
  expect(kindOf(result({ final_target: { ...checked, state: 'ok', reason: null } }))).toBe('redirected');
  expect(brokenText({ ...checked, state: 'blocked' })).toBeUndefined();
});

const unexpected = { expected: undefined, isExpected: undefined };

test('a line is the expectation that it names, otherwise what the URL responds', () => {
  const saved = (fields: Partial<ResolvedUrl>, expected?: { target?: string; status?: number }) => {
    const line = expected && { target: expected.target, status: expected.status };
    const {
      status_code: status,
      location,
      final,
    } = expectationOf({ result: result(fields), expected: line, isExpected: undefined }, 'staging');
    return [status, location, final];
  };
  expect(saved({})).toEqual([301, '/b', null]);
  expect(saved({ hops: [hop, hop], final_url: '/c' }, { target: '/c' })).toEqual([301, null, '/c']);
  expect(saved({}, { target: '/b', status: 302 })).toEqual([302, '/b', null]);
  const unanswered = { status_code: 404, location: null, hops: [], redirect_id: null };
  expect(saved(unanswered)).toEqual([404, null, null]);
  expect(saved(unanswered, { target: '/b' })).toEqual([301, null, '/b']);
  expect(saved(unanswered, { status: 410 })).toEqual([410, null, null]);
});

test('a near redirect differs in what the website distinguishes', () => {
  const near = (path: string, case_sensitive: boolean, trailing_slash: 'exact' | 'ignore') => {
    const rules = [{ old_path: '/Blog/' }, { old_path: '/blog/one' }];
    return nearRule(rules, path, { case_sensitive, trailing_slash })?.by;
  };
  expect(near('/blog', true, 'exact')).toBe('letter case and the slash at its end');
  expect(near('/blog', true, 'ignore')).toBe('letter case');
  expect(near('/blog', false, 'exact')).toBe('the slash at its end');
  // Both are ignored, so the redirect is missing for another reason.
  expect(near('/blog', false, 'ignore')).toBeUndefined();
  expect(near('/Blog/', true, 'exact')).toBeUndefined();
  expect(near('/blog/two', true, 'exact')).toBeUndefined();
});

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
