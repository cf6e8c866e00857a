/**
 * The line that each server's format has for a rule. Holds the rules of src/formats/write/servers/apache.ts, caddy.ts,
 * list-formats.ts and nginx.ts.
 */
import { describe, expect, test } from 'vitest';
import { SERVER_FORMATS } from '../../../../src/formats/write/export-formats.ts';
import { literalRule } from '../../../../src/formats/write/servers/literal-rule.ts';
import { createNameSets } from '../../../../src/formats/write/servers/passed-query.ts';
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
    expect(format.rule(literal, site, createNameSets())).toBe(redirectLine);
  });

  test('writes a 410, or returns the reason', () => {
    const reason = { reason: `${format.name} has no redirect with status 410` };
    expect(format.rule(gone, site, createNameSets())).toEqual(goneLine ?? reason);
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
  expect(SERVER_FORMATS[name].rule(pattern, site, createNameSets())).toBe(line);
});

describe('a target with a query, if queries are passed,', () => {
  const targeted = { oldPath: '^/a/(.*)$', key: '^/a/(.*)$', newPath: '/b?k=$1', isRegex: true };
  const converted = [
    literalRule(targetedRule({ newPath: '/b?k=1#part' }), site),
    patternRule(targetedRule(targeted), site, 'pcre'),
  ];
  const written = (name: keyof typeof SERVER_FORMATS) => {
    const sets = createNameSets();
    const { rule, tail } = SERVER_FORMATS[name];
    const lines = converted.map((each) => ('reason' in each ? each : rule(each, site, sets)));
    return { lines, tail: tail?.(site, sets) };
  };
  const name = '&+(?:(?:k|%6[Bb]))(?:=[^&]*)?';

  test('has the number of its names in nginx', () => {
    const { lines, tail } = written('nginx');
    expect(lines).toEqual([
      '    "/a" "301 /a /b?k=1 #part 0";\n    "/a/" "301 /a/ /b?k=1 #part 0";\n',
      '    "~^/a/(?<detour_group1>.*)\\\\z" "301 * /b?k=${detour_group1}  0";\n',
    ]);
    expect(tail).toContain(`    "~^0 (?:(?<detour_kept1>(?:&+[^&]+)*?)${name})?(?:(?<detour_kept2>`);
  });

  test('has the number of its names in Caddy', () => {
    const { lines, tail } = written('caddy');
    expect(lines[0]).toBe('\t\t`/a` 301 `0 /b?k=1` `#part`\n\t\t`/a/` 301 `0 /b?k=1` `#part`\n');
    expect(lines[1]).toBe('\t\t`~^/a/(.*)$` 301 `0 /b?k=${1}` ``\n');
    expect(tail).toContain(`\t\t\`~^0 (?:((?:&+[^&]+)*?)${name})?(?:(`);
  });

  test('has its first question mark outside of groups in Apache, which else responds with 403', () => {
    const [literalLines, patternLines] = written('apache').lines;
    expect(literalLines).toMatch(/RewriteRule \^ "\/b\?k=1%1%2%3%4%5%6%7#part" \[R=301,L,NE\]\n$/);
    expect(patternLines).toContain(
      'RewriteCond "/b k=%1 &%{QUERY_STRING}" "^[/\\\\]*(\\S*) (\\S*) (?:((?:&+[^&]+)*?)&+',
    );
    expect(patternLines).toMatch(/RewriteRule \^ "\/%1\?%2%3%4%5%6%7%8%9" \[R=301,L,NE\]\n$/);
  });

  test.each(['netlify', 'vercel', 'cloudflare'] as const)('cannot be expressed in %s', (list) => {
    expect(written(list).lines[0]).toEqual({ reason: expect.stringContaining('how it merges two queries') });
  });

  test('is omitted beyond 200 different sets of names', () => {
    const sets = createNameSets();
    for (let at = 0; at < 200; at++) expect(sets.numberOf([`n${at}`])).toBe(at);
    const [rule] = converted;
    if (!rule || 'reason' in rule) throw new Error('not expressible');
    expect([SERVER_FORMATS.nginx, SERVER_FORMATS.caddy].map((format) => format.rule(rule, site, sets))).toEqual(
      Array(2).fill({ reason: expect.stringContaining('over 200 different sets') }),
    );
    expect(sets.numberOf(['n7'])).toBe(7);
  });
});

test.each(['nginx', 'apache', 'caddy'] as const)('%s escapes raw characters of a path before it compares', (name) => {
  const head = SERVER_FORMATS[name].head?.(site) ?? '';
  for (const escape of ['%5B', '%5D', '%7C', '%5E']) expect(head).toContain(escape);
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
