/** Paths with wildcards that are typed without Pattern. */
import { expect, test } from 'vitest';
import { asPattern, looksLikePattern } from '../../dashboard/src/screens/redirects/edit/wildcards.ts';

const rule = (old_path: string, new_path: string, is_regex = false) => ({ old_path, new_path, is_regex });

test.each([
  ['/old-blog/*', '/blog/$1', '^/old-blog/(.*)$', '/blog/$1'],
  ['/old-blog/*', '/blog/*', '^/old-blog/(.*)$', '/blog/$1'],
  ['/old.shop/:id/*', '/shop/:id/$2', String.raw`^/old\.shop/([^/]+)/(.*)$`, '/shop/$1/$2'],
  ['/a/(.*)', '/b/$1', '^/a/(.*)$', '/b/$1'],
  [String.raw`/a/(\d+)`, '/b/$1', String.raw`/a/(\d+)`, '/b/$1'],
  ['/a', '/b/$1', '/a', '/b/$1'],
])('%s to %s looks like a pattern, and becomes %s to %s', (from, to, source, target) => {
  expect(looksLikePattern(rule(from, to))).toBe(true);
  expect(asPattern(rule(from, to))).toEqual(rule(source, target, true));
});

test('plain paths, and patterns, say nothing', () => {
  expect(looksLikePattern(rule('/a-b/c.html?x=1', 'https://example.com:8080/b'))).toBe(false);
  expect(looksLikePattern(rule('/a/(.*)', '/b/$1', true))).toBe(false);
});
