/**
 * The line that each server's format has for a rule. Holds the rules of src/formats/write/servers/apache.ts, caddy.ts,
 * list-formats.ts and nginx.ts.
 */
import { describe, expect, test } from 'vitest';
import { SERVER_FORMATS } from '../../../../src/formats/write/export-formats.ts';
import { literalRule } from '../../../../src/formats/write/servers/literal-rule.ts';
import { patternRule } from '../../../../src/formats/write/servers/pattern-rule.ts';
import { serverSite, targetedRule } from './server-rule.ts';

const site = serverSite();
const literal = literalRule(targetedRule(), site);
const gone = literalRule(targetedRule({ newPath: null, statusCode: 410 }), site);
const pattern = patternRule(
  targetedRule({ oldPath: '^/a/(.*)$', key: '^/a/(.*)$', newPath: '/b/$1', isRegex: true }),
  site,
  'pcre',
);

describe.each([
  ['nginx', '    "/a" "301 /a /b ";\n    "/a/" "301 /a/ /b ";\n', '    "/a" "410 /a  ";\n    "/a/" "410 /a/  ";\n'],
  [
    'apache',
    'RewriteCond %{ENV:DETOUR_PATH} "=/a" [OR]\nRewriteCond %{ENV:DETOUR_PATH} "=/a/"\nRewriteRule ^ "/b?%{QUERY_STRING}" [R=301,L,NE]\n',
    'RewriteCond %{ENV:DETOUR_PATH} "=/a" [OR]\nRewriteCond %{ENV:DETOUR_PATH} "=/a/"\nRewriteRule ^ - [R=410,L]\n',
  ],
  ['caddy', '\t\t`/a` 301 `/b` ``\n\t\t`/a/` 301 `/b` ``\n', '\t\t`/a` 410 `` ``\n\t\t`/a/` 410 `` ``\n'],
  ['netlify', '/a /b 301!\n', undefined],
  [
    'vercel',
    '{"source":"/a","destination":"/b","statusCode":301,"caseSensitive":true,"query":true},\n{"source":"/a/","destination":"/b","statusCode":301,"caseSensitive":true,"query":true}',
    undefined,
  ],
  [
    'cloudflare',
    'https://www.example.com/a,https://www.example.com/b,301,TRUE,FALSE,FALSE,FALSE\nhttps://www.example.com/a/,https://www.example.com/b,301,TRUE,FALSE,FALSE,FALSE\n',
    undefined,
  ],
] as const)('%s', (name, redirectLine, goneLine) => {
  const format = SERVER_FORMATS[name];
  if ('reason' in literal || 'reason' in gone) throw new Error('not expressible');

  test('writes a redirect', () => {
    expect(format.rule(literal, site)).toBe(redirectLine);
  });

  test('writes a 410, or returns the reason', () => {
    const reason = { reason: `${format.name} has no redirect with status 410` };
    expect(format.rule(gone, site)).toEqual(goneLine ?? reason);
  });

  test('writes a comment of one line', () => {
    expect(format.comment('omitted: a').trim()).toMatch(/^(\{"\/\/":"omitted: a"\}|# omitted: a)$/);
  });
});

test.each([
  ['nginx', '    "~^/a/(?<detour_group1>.*)\\\\z" "301 * /b/${detour_group1} ";\n'],
  ['caddy', '\t\t`~^/a/(.*)$` 301 `/b/${1}` ``\n'],
] as const)('%s writes a pattern', (name, line) => {
  if ('reason' in pattern) throw new Error('not expressible');
  expect(SERVER_FORMATS[name].rule(pattern, site)).toBe(line);
});

test.each([
  ['netlify', { query: 'drop' }, 'query is drop'],
  ['netlify', { trailingSlash: 'exact' }, 'trailing_slash is exact'],
  ['netlify', { caseSensitive: false }, 'case_sensitive is false'],
  ['vercel', { query: 'exact' }, 'query is exact'],
  ['cloudflare', { query: 'exact' }, 'query is exact'],
  ['cloudflare', { caseSensitive: false }, 'case_sensitive is false'],
] as const)('%s cannot express the option %j', (name, options, reason) => {
  const { siteProblem } = SERVER_FORMATS[name];
  expect(siteProblem?.(serverSite(options))).toContain(reason);
  expect(siteProblem?.(site)).toBeUndefined();
});
