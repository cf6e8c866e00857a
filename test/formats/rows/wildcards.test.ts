/** Holds the rules of src/formats/rows/open-pattern.ts, replaced-pattern.ts and match-kind.ts. */
// Wildcards and open patterns of other tools: the addresses that the tool redirects, and some that it does not.
import { describe, expect, test } from 'vitest';
import { canonicalPath } from '../../../src/resolver/spelling/canonical-path.ts';
import { ruleKey } from '../../../src/resolver/rule.ts';
import { emptyRuleset } from '../../../src/resolver/ruleset.ts';
import { csvRow, readCsv } from '../read/csv/csv-file.ts';

const OPTIONS = { caseSensitive: true, trailingSlash: 'exact', query: 'drop' } as const;

/** Returns the Location of a path by the rules of a file; undefined if no rule matches. */
async function redirectsOf(content: string, options: Parameters<typeof readCsv>[1] = {}) {
  const { rows, errors, layout } = await readCsv(content, options);
  const draft = emptyRuleset().fork();
  for (const [index, { oldPath, newPath = null, isRegex = false }] of rows.entries()) {
    const statusCode = newPath === null ? 410 : 301;
    draft.add({ id: index + 1, key: ruleKey(oldPath, isRegex), isRegex, newPath, statusCode });
  }
  const ruleset = draft.seal();
  const locationOf = (address: string): string | undefined => {
    const [path = '', query = null] = address.split('?');
    return ruleset.match({ path: canonicalPath(path), query }, OPTIONS)?.location ?? undefined;
  };
  return { locationOf, rows, errors, notices: layout.notices };
}

const VERCEL = 'source,destination,permanent\n';

describe('wildcards of a tool', () => {
  test.each<[source: string, target: string, cases: Record<string, string | undefined>]>([
    ['/a/:id', '/b/:id', { '/a/1': '/b/1', '/a': undefined, '/a/': undefined, '/a/1/2': undefined }],
    ['/a/:id/c/:other', '/b/:other/:id', { '/a/1/c/2': '/b/2/1', '/a/1/c': undefined }],
    ['/v/:path*', '/w/:path*', { '/v': '/w', '/v/1': '/w/1', '/v/1/2': '/w/1/2', '/vx': undefined }],
    ['/v/:path*', '/:path*', { '/v': '/', '/v/1/2': '/1/2' }],
    ['/v/:path*', 'https://example.org/:path*', { '/v': 'https://example.org/', '/v/1': 'https://example.org/1' }],
    ['/v/:path*', '/w?from=:path*', { '/v': '/w?from=', '/v/1/2': '/w?from=1/2' }],
    ['/v/:path+', '/w/:path+', { '/v': undefined, '/v/1': '/w/1', '/v/1/2': '/w/1/2' }],
    ['/v/:path?', '/w/:path', { '/v': '/w', '/v/1': '/w/1', '/v/1/2': undefined }],
    ['/n/:id(\\d{1,3})', '/m/:id', { '/n/12': '/m/12', '/n/1234': undefined, '/n/x': undefined }],
    ['/old/(.*)', '/new/$1', { '/old/': '/new/', '/old/a/b': '/new/a/b', '/old': undefined }],
    ['/post-:id', '/p/:id', { '/post-7': '/p/7', '/post-7/x': undefined }],
    ['/a.b/:c', '/d$e/:c', { '/a.b/1': '/d$e/1', '/aXb/1': undefined }],
    ['/at/:id', '/time/10:30/:id', { '/at/1': '/time/10:30/1' }],
    ['/u/:id', '/v/:id?from=:id#top', { '/u/1': '/v/1?from=1#top' }],
    ['/u/:id?', '/v/:id?', { '/u/1': '/v/1', '/u': '/v' }],
  ])('Vercel: %s to %s', async (source, target, cases) => {
    const { locationOf, errors, notices } = await redirectsOf(`${VERCEL}"${source}",${target},true\n`);
    expect(errors).toEqual([]);
    expect(notices).toContainEqual({ code: 'CONVERTED_TO_PATTERN', column: 'old_path', count: 1 });
    for (const [path, location] of Object.entries(cases)) expect([path, locationOf(path)]).toEqual([path, location]);
  });

  test.each([
    ['/a/:id', '/b/:other', 'has no :other'],
    ['/a/:id', '/b/$2', 'the source has 1 wildcards'],
    ['/a/:id?x=1', '/b/:id', 'a pattern does not see the query'],
    ['/a', '/b/$1', 'the pattern of the target is missing'],
  ])('%s to %s has no equal pattern', async (source, target, reason) => {
    const { errors, rows } = await redirectsOf(`${VERCEL}"${source}",${target},true\n`);
    expect(rows).toEqual([]);
    expect(errors.map(({ code }) => code)).toEqual(['CONDITION_NOT_SUPPORTED']);
    expect(errors[0]?.message).toContain(reason);
  });

  test('RedirectIQ: named parts in brackets, and a star for each star', async () => {
    const { locationOf, errors } = await redirectsOf(
      'source_path,destination,type\n/p/[slug],/q/[slug],301\n/r/[...rest],/s/[...rest],301\n/t/*/u/*,/v/*/*,301\n',
    );
    expect(errors).toEqual([]);
    expect(['/p/a', '/p/a/b', '/r/a/b', '/r/', '/t/1/u/2/3'].map(locationOf)).toEqual([
      '/q/a',
      undefined,
      '/s/a/b',
      undefined,
      '/v/1/2/3',
    ]);
  });

  test('a forwarded path is appended below the source, which may be a host alone', async () => {
    const { locationOf, errors } = await redirectsOf(
      'source,target,forward path\nexample.com/shop,https://example.org/store,yes\n/a,/b,no\n',
    );
    expect(errors).toEqual([]);
    expect(['/shop', '/shop/x/y', '/shopx', '/a', '/a/x'].map(locationOf)).toEqual([
      'https://example.org/store',
      'https://example.org/store/x/y',
      undefined,
      '/b',
      undefined,
    ]);
  });
});

describe('a wildcard in a file of no known tool', () => {
  const file = 'from,to\n/blog/*,/news/*\n/x/(.*),/y/$1\n/z/:id,/zz/:id\n/plain,/t$1\n/safe:8080,/s\n';

  test('is an error row that says what to do', async () => {
    const { rows, errors } = await redirectsOf(file);
    expect(rows).toEqual([csvRow(6, '/safe:8080', { newPath: '/s' })]);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [2, 'old_path', 'AMBIGUOUS_WILDCARD'],
      [3, 'old_path', 'AMBIGUOUS_WILDCARD'],
      [4, 'old_path', 'AMBIGUOUS_WILDCARD'],
      [5, 'new_path', 'AMBIGUOUS_WILDCARD'],
    ]);
    expect(errors[0]?.message).toBe(
      'old_path is "/blog/*", which may have a wildcard; set is_regex in the row, or import with wildcards=convert or wildcards=literal',
    );
  });

  test.each(['/a/(\\d+)', '/a/(b|c)', '/a/[0-9]+', '/a.+', '/a\\.b'])('%s may be a pattern as well', async (source) => {
    const { rows, errors } = await redirectsOf(`from,to\n${source},/b\n`);
    expect([rows, errors.map(({ code }) => code)]).toEqual([[], ['AMBIGUOUS_WILDCARD']]);
    expect((await redirectsOf(`from,to\n${source},/b\n`, { wildcards: 'literal' })).rows).toHaveLength(1);
  });

  test('is converted, or literal, by the option', async () => {
    const converted = await redirectsOf(file, { wildcards: 'convert' });
    expect(['/blog/a', '/x/1', '/z/2', '/z/2/3'].map(converted.locationOf)).toEqual([
      '/news/a',
      '/y/1',
      '/zz/2',
      undefined,
    ]);
    expect(converted.errors.map(({ line }) => line)).toEqual([5]);
    const literal = await redirectsOf(file, { wildcards: 'literal' });
    expect(literal.errors).toEqual([]);
    expect(['/blog/*', '/blog/a', '/plain'].map(literal.locationOf)).toEqual(['/news/*', undefined, '/t$1']);
  });

  test('is what is_regex says, if the row has it', async () => {
    const { locationOf, errors } = await redirectsOf(
      'old_path,new_path,is_regex\n/a*,/b,false\n^/c.*$,/d,true\n/e*,/f,\n',
    );
    expect(['/a*', '/ab', '/cx'].map(locationOf)).toEqual(['/b', undefined, '/d']);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([[4, 'AMBIGUOUS_WILDCARD']]);
  });
});

describe('a pattern that its tool finds anywhere in the address', () => {
  const wordpress = (source: string, target = '/new') =>
    redirectsOf(`source,target,regex,code\n"${source}",${target},1,301\n`);

  test.each<[source: string, found: string[], others: string[]]>([
    ['^/shop/old', ['/shop/old', '/shop/old-shoes', '/shop/old/2'], ['/x/shop/old']],
    ['/blog/2019', ['/blog/2019', '/en/blog/2019/x'], ['/blog/2018', '/xblog/2019']],
    ['old$', ['/old', '/very-old', '/a/old'], ['/old/a']],
    ['^/a|b$', ['/a', '/ax', '/x/b'], ['/x/a', '/b/x']],
    ['(en|de)/x', ['/en/x', '/de/x/y', '/a/en/x'], ['/fr/x']],
    ['/?page', ['/page', '/mypage', '/a/page2'], ['/pag']],
    ['(?i)^/shop/Old', ['/shop/old', '/SHOP/OLD'], ['/x/shop/old']],
    ['[x|y]/z', ['/x/z', '/ay/z/1'], ['/a/z']],
    ['^/price\\\\$', ['/price$', '/price$s'], ['/price']],
  ])('%s', async (source, found, others) => {
    const { locationOf, errors, notices } = await wordpress(source.replaceAll('\\\\', '\\'));
    expect(errors).toEqual([]);
    expect(notices).toContainEqual({ code: 'PATTERN_ANCHORED', column: 'old_path', count: 1 });
    expect(found.filter((path) => locationOf(path) === undefined)).toEqual([]);
    expect(others.filter((path) => locationOf(path) !== undefined)).toEqual([]);
  });

  test('a pattern of the whole path stays, and its groups keep their numbers', async () => {
    const { rows, notices } = await wordpress('^/a/(.*)$', '/b/$1');
    expect([rows.map(({ oldPath }) => oldPath), notices]).toEqual([['^/a/(.*)$'], []]);
    const yoast = await redirectsOf('Origin,Target,Type,Format\n/(x|y)/(z),/$2/$1,301,regex\n');
    expect(yoast.locationOf('/1/y/z/2')).toBe('/z/y');
  });

  test.each<[source: string, target: string, cases: Record<string, string | undefined>]>([
    ['^/old', '/new', { '/old': '/new', '/old-shoes': '/new-shoes', '/old/2': '/new/2', '/x/old': undefined }],
    ['/(x|y)/(z)', '/$2/${1}', { '/y/z': '/z/y', '/1/y/z/2': '/1/z/y/2', '/yz': undefined }],
    ['old(\\d)', '/new/\\1', { '/old1': '/new/1', '/very-old1-shoes': '/very-/new/1-shoes', '/old': undefined }],
    ['/a$', 'https://example.org/b', { '/a': 'https://example.org/b', '/x/a': 'https://example.org/b' }],
    ['^(.*)/feed/?$', '$1/rss', { '/feed': '/rss', '/en/feed/': '/en/rss', '/feeds': undefined }],
    ['.*\\.php$', '/', { '/a/b.php': '/', '/b.php5': undefined }],
    ['.*/x', '/y', { '/x': '/y', '/a/xz': '/yz' }],
    ['^/(?:a|b)/((?P<n>\\d+)[(])', '/$1', { '/a/7(/c': '/7(/c' }],
  ])('WordPress Redirection keeps what is around the found part: %s to %s', async (source, target, cases) => {
    const { locationOf, errors } = await wordpress(source.replaceAll('\\\\', '\\'), target.replaceAll('\\\\', '\\'));
    expect(errors).toEqual([]);
    for (const [path, location] of Object.entries(cases)) expect([path, locationOf(path)]).toEqual([path, location]);
  });

  test.each(['(^/a$|^/b$)', '(^|/)a$', '\\A/a'])('an anchor inside of %s is an error row', async (source) => {
    const { rows, errors } = await wordpress(source);
    expect([rows, errors.map(({ code }) => code)]).toEqual([[], ['CONDITION_NOT_SUPPORTED']]);
  });

  test('a query becomes the pairs of a path if that is exact, else an error row', async () => {
    const { locationOf, rows } = await wordpress('^/q\\?id=5&x=a-b$');
    expect([rows[0]?.isRegex, locationOf('/q?id=5&x=a-b'), locationOf('/q?id=6&x=a-b')]).toEqual([
      false,
      '/new',
      undefined,
    ]);
    for (const source of ['(?i)^/q\\?id=5$', '^/q\\?id=(\\d+)', '^/q\\?id=5', '/q\\?id=5$', '^/a|^/q\\?id=5$']) {
      const { errors } = await wordpress(source);
      expect([source, errors.map(({ code }) => code)]).toEqual([source, ['CONDITION_NOT_SUPPORTED']]);
    }
    expect((await wordpress('^/q[?]?x$')).errors).toEqual([]);
  });
});
