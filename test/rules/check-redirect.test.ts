import { describe, expect, test } from 'vitest';
import { demandsQuery } from '../../src/rules/demands-query.ts';
import { checkRedirect } from '../../src/rules/check-redirect.ts';
import { fields } from '../redirects/rule/redirect-row.ts';

const check = (values: Partial<typeof fields>) =>
  checkRedirect({ ...fields, ...values }, ['shop.example', 'xn--bcher-kva.example']);

describe('a valid redirect has the canonical path as its key', () => {
  test.each([
    ['/a/b', '/a/b'],
    ['/', '/'],
    ['/A b', '/A%20b'],
    ['/x/../a', '/a'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/a?k=1', '/a?k=1'],
    ['/.well-known/x', '/.well-known/x'],
  ])('%s is stored under %s', (oldPath, key) => {
    expect(check({ oldPath })).toEqual({ key, pattern: null, issues: [] });
  });

  test('the target of a pattern names its groups by number and name', () => {
    const pattern = { oldPath: '/g/(\\d+)/(?P<slug>.*)', isRegex: true };
    expect(check({ ...pattern, newPath: '/x/$1/$2/${slug}/$$' }).issues).toEqual([]);
    for (const newPath of ['/x/$3', '/x/${other}', '/x/$1/$99']) {
      expect(check({ ...pattern, newPath }).issues).toMatchObject([{ path: 'new_path', code: 'INVALID_NEW_PATH' }]);
    }
  });

  test('a pattern is stored under its text', () => {
    const { key, pattern, issues } = check({ oldPath: '^/a/(?P<id>[0-9]+)$', isRegex: true });
    expect([key, issues]).toEqual(['^/a/(?P<id>[0-9]+)$', []]);
    expect(pattern).toMatchObject({ groupCount: 1, groupNames: ['id'] });
  });
});

test.each([
  ['/new-page', 301],
  ['/new?x=1#part', 308],
  ['https://shop.example/x', 302],
  ['HTTPS://SHOP.example:443/x', 302],
  ['https://shop.example./x', 302],
  [null, 410],
  [null, 451],
])('accepts the target %s with status %i', (newPath, statusCode) => {
  expect(check({ newPath, statusCode }).issues).toEqual([]);
});

describe('an invalid redirect', () => {
  test.each<[Partial<typeof fields>, string, string]>([
    [{ oldPath: '' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: 'a' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: '//a' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: '/..//a' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: ' /a' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: '/a#b' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: '/a ' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: 'https://example.com/a' }, 'old_path', 'INVALID_OLD_PATH'],
    [{ oldPath: '/a\n' }, 'old_path', 'CONTROL_CHARACTER'],
    [{ oldPath: '/a\u0000b' }, 'old_path', 'CONTROL_CHARACTER'],
    [{ oldPath: '/a\u001fb' }, 'old_path', 'CONTROL_CHARACTER'],
    [{ oldPath: '/a\u007fb' }, 'old_path', 'CONTROL_CHARACTER'],
    [{ oldPath: '/\ud800' }, 'old_path', 'CONTROL_CHARACTER'],
    [{ oldPath: `/${'a'.repeat(2_048)}` }, 'old_path', 'TOO_LONG'],
    [{ oldPath: `/${'é'.repeat(1_000)}` }, 'old_path', 'TOO_LONG'],
    [{ oldPath: '^/a(', isRegex: true }, 'old_path', 'INVALID_REGEX'],
    [{ oldPath: '^/q\\?id=(\\d+)$', isRegex: true }, 'old_path', 'INVALID_REGEX'],
    [{ newPath: '/b ' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'b' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: ' /b' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: '' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'javascript:alert(1)' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: '/b\r\nSet-Cookie: x=1' }, 'new_path', 'CONTROL_CHARACTER'],
    [{ newPath: '/b\udfff' }, 'new_path', 'CONTROL_CHARACTER'],
    [{ newPath: `/${'b'.repeat(2_048)}` }, 'new_path', 'TOO_LONG'],
    [{ oldPath: '/a(.*)', isRegex: true, newPath: `/${'$1'.repeat(21)}` }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: '//evil.example' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: '/\\evil.example' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'http://shop.example/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'https://user@shop.example/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'https://shop.example:8443/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'https://evil.example/' }, 'new_path', 'TARGET_HOST_NOT_ALLOWED'],
    [{ newPath: 'https://shop.example.evil.example/' }, 'new_path', 'TARGET_HOST_NOT_ALLOWED'],
    [{ newPath: 'https://shop.example@evil.example/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: 'https://evil.example\\@shop.example/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: '//shop.example/' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ newPath: null }, 'new_path', 'TARGET_REQUIRED'],
    [{ statusCode: 410 }, 'new_path', 'TARGET_NOT_ALLOWED'],
    ...[200, 300, 304, 305, 306, 309, 400, 404, 0, -301, 301.5, 3010].map(
      (statusCode): [Partial<typeof fields>, string, string] => [{ statusCode }, 'status_code', 'INVALID_STATUS_CODE'],
    ),
    [{ newPath: '/a' }, 'new_path', 'REDIRECT_LOOP'],
    [{ newPath: '/x/../a#part' }, 'new_path', 'REDIRECT_LOOP'],
    [{ oldPath: '^/a/(.*)$', isRegex: true, newPath: '/b/$2' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ oldPath: '^/a/(.*)$', isRegex: true, newPath: '/b/${id}' }, 'new_path', 'INVALID_NEW_PATH'],
    [{ oldPath: '^/a/(.*)$', isRegex: true, newPath: '/b/$x' }, 'new_path', 'INVALID_NEW_PATH'],
  ])('%j has one issue at %s: %s', (values, path, code) => {
    expect(check(values).issues).toEqual([expect.objectContaining({ path, code })]);
  });

  test('reports each invalid field once', () => {
    const { issues } = check({ oldPath: 'a', newPath: 'b', statusCode: 200 });
    expect(issues.map((issue) => issue.path)).toEqual(['old_path', 'status_code', 'new_path']);
  });
});

test.each([
  ['^/q\\?id=5', true],
  ['^/(a|b)\\?x', true],
  ['^/(?:q\\?x)+', true],
  ['^/a\\?x|^/b\\?x', true],
  ['^/a\\??b\\?c', true],
  ['^/a\\?x|^/b', false],
  ['^/a(?:\\?x)?', false],
  ['^/(a\\?b|c)', false],
  ['^/a[\\?]', false],
  ['^/a\\\\?', false],
  ['^/a%3Fb', false],
])('the pattern %s demands a query: %s', (pattern, expected) => {
  expect(demandsQuery(pattern)).toBe(expected);
});
