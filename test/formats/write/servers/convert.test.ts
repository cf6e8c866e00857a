/** Conversion of redirects to rules that servers can express. */
import { describe, expect, test } from 'vitest';
import { hasOtherCases, literalRule } from '../../../../src/formats/write/servers/literal-rule.ts';
import { patternRule, rankPattern } from '../../../../src/formats/write/servers/pattern-rule.ts';
import type { TargetedRule } from '../../../../src/formats/write/servers/server-format.ts';
import { comparePrecedence } from '../../../../src/resolver/patterns/pattern-layer.ts';
import { serverSite, targetedRule } from './server-rule.ts';

describe('a literal', () => {
  const convert = (
    rule: Partial<TargetedRule>,
    website: Parameters<typeof serverSite>[0] = {},
  ): ReturnType<typeof literalRule> => literalRule(targetedRule(rule), serverSite(website));

  test('matches its path with and without the final slash, if the website ignores it', () => {
    expect(convert({})).toMatchObject({ paths: ['/a', '/a/'], target: { base: '/b', fragment: '' } });
    expect(convert({}, { trailingSlash: 'exact' })).toMatchObject({ paths: ['/a'] });
    expect(convert({ companions: ['/a/'] })).toMatchObject({ paths: ['/a'] });
    expect(convert({ key: '/' })).toMatchObject({ paths: ['/'] });
  });

  test('without a target has none', () => {
    expect(convert({ newPath: null, statusCode: 410 })).toMatchObject({ statusCode: 410, target: null });
  });

  test('has the fragment of its target apart', () => {
    expect(convert({ newPath: '/b c#part' })).toMatchObject({
      target: { base: '/b%20c', fragment: '#part' },
    });
  });

  test('has the names in the query of its target, if queries are passed', () => {
    const newPath = '/b?k=1&%6B=2&q[]=3#x?y=1';
    expect(convert({ newPath })).toMatchObject({ ownNames: ['k', 'q%5B%5D'], target: { fragment: '#x?y=1' } });
    expect(convert({ newPath }, { query: 'drop' })).toMatchObject({ ownNames: [] });
  });

  test('has the parameter that it requires apart, and may redirect to its own path', () => {
    expect(convert({ key: '/a?k=1' })).toMatchObject({ paths: ['/a', '/a/'], required: 'k=1', target: { base: '/b' } });
    expect(convert({ key: '/?k=1', newPath: '/#x' })).toMatchObject({
      paths: ['/'],
      target: { base: '/', fragment: '#x' },
    });
    const exact = { trailingSlash: 'exact' } as const;
    expect(convert({ key: '/a?k=1', companions: ['/a', '/a/'] }, exact)).toMatchObject({ paths: ['/a'] });
  });

  test('that corrects the final slash matches only the path without the correction', () => {
    expect(convert({ newPath: '/a/' })).toMatchObject({ paths: ['/a'] });
  });

  test('knows another rule that differs only by case', () => {
    expect(convert({ companions: ['/A'] })).toMatchObject({ hasCaseTwin: true });
    expect(convert({ companions: ['/a/'] })).toMatchObject({ hasCaseTwin: false });
  });

  test.each<[string, Partial<TargetedRule>, Parameters<typeof serverSite>[0]]>([
    ['it requires a query of several parameters', { key: '/a?j=1&k=1' }, {}],
    ['it requires a query with a percent sign', { key: '/a?k=1%25' }, {}],
    ['differs by its final slash or by case', { key: '/a?k=1', companions: ['/a', '/a/'] }, {}],
    ['redirects to its own path with a query', { key: '/a?k=1', newPath: '/a/?k=1&j=1' }, {}],
    ['servers reject paths with a zero byte', { key: '/a%00' }, {}],
    ['non-ASCII letters', { key: '/caf%C3%A9' }, { caseSensitive: false }],
    ['differs from it only by case', { companions: ['/A'] }, { caseSensitive: false }],
    ['its target ends with ? or &', { newPath: '/b?k=1&' }, { query: 'pass' }],
    ['another spelling of its own path', { newPath: '/A' }, { caseSensitive: false }],
  ])('cannot be expressed: %s', (reason, rule, website) => {
    expect(convert(rule, website)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

test('only letters with two cases count as such', () => {
  expect(['/caf%C3%A9', '/%E4%B8%AD', '/abc', '/%FF'].map(hasOtherCases)).toEqual([true, false, false, false]);
});

describe('a pattern', () => {
  const convert = (oldPath: string, newPath: string | null = '/b', dialect: 'pcre' | 're2' = 'pcre') =>
    patternRule(
      targetedRule({ oldPath, key: oldPath, newPath, isRegex: true }),
      serverSite({ query: 'drop' }),
      dialect,
    );

  test('loses its anchors and the names of its groups', () => {
    expect(convert('^/a/(?P<id>[0-9]+)/(.*)$', '/b/${id}/$2')).toMatchObject({
      expression: '/a/([0-9]+)/(.*)',
      groups: 2,
      target: ['/b/', 1, '/', 2],
    });
  });

  test('has the names in the query of its target, unless a group captures one', () => {
    const passing = (newPath: string) =>
      patternRule(targetedRule({ oldPath: '^/a/(.*)$', newPath, isRegex: true }), serverSite(), 'pcre');
    expect(passing('/b/$1?k=$1&l=2')).toMatchObject({ ownNames: ['k', 'l'] });
    expect(passing('/b?k=1&$1=2')).toEqual({ reason: 'a parameter of its target has a captured name' });
  });

  test('with alternatives is one group', () => {
    expect(convert('^/a$|^/b$')).toHaveProperty('reason');
    expect(convert('^(/a|/b)$')).toMatchObject({ expression: '(?:(/a|/b))' });
  });

  test('has escaped literals', () => {
    expect(convert('^/a\\.html$')).toMatchObject({ expression: '/a\\.html' });
  });

  test.each([
    ['^/(?:a+)+$', '/b', 'can block a backtracking engine'],
    ['^/(a)*$', '/b', 'a repeated capturing group'],
    ['^/a(?i)b$', '/b', 'may have another meaning there'],
    ['^/a/(.*)$', '/b#$1', 'its target has a fragment'],
    ['^/a/(.*)$', 'https://www.example.com/$1', 'its target is on a host of the website'],
  ])('%s to %s cannot be expressed: %s', (oldPath, newPath, reason) => {
    expect(convert(oldPath, newPath)).toEqual({ reason: expect.stringContaining(reason) });
  });

  test('with nested repetitions is safe in RE2', () => {
    expect(convert('^/(?:a+)+$', '/b', 're2')).toMatchObject({ expression: '/(?:a+)+' });
  });
});

test('patterns are in the order in which the resolver tries them', () => {
  const keys = ['^/b/(.*)$', '^/(.*)$', '^/blog/(.*)$', '^/a/(.*)$', '^/a/(.*)/x$'];
  const ranked = keys.map((key) => rankPattern(targetedRule({ key, oldPath: key, isRegex: true })));
  expect(ranked.toSorted(comparePrecedence).map(({ text }) => text)).toEqual([
    '^/blog/(.*)$',
    '^/a/(.*)/x$',
    '^/a/(.*)$',
    '^/b/(.*)$',
    '^/(.*)$',
  ]);
});
