import { describe, expect, test } from 'vitest';
import { followHops, type Journey } from '../../src/resolver/follow.ts';
import { createOwnHosts, domainLocation, firstHost, type Host } from '../../src/resolver/own-hosts.ts';
import { optionsFrom, rulesetOf, runToEnd } from './rules.ts';

const to = (url: string, options = {}) => ({ url, statusCode: 301, keepPath: true, ...options });
const HOSTS: Host[] = [
  { hostname: '*.example', environment: 'production' },
  { hostname: 'old.example', environment: 'production', redirectTo: to('https://new.example/base') },
  { hostname: 'older.example', environment: 'production', redirectTo: to('http://old.example', { statusCode: 308 }) },
  { hostname: 'away.example', environment: 'production', redirectTo: to('https://else.test/x', { keepPath: false }) },
  { hostname: 'test.example', environment: 'staging' },
  { hostname: '*.test.example', environment: 'staging', redirectTo: to('https://else.test') },
];
const own = createOwnHosts(HOSTS, 'production');

test('hosts of another environment, and names below them, are no own hosts', () => {
  expect(own.servesRules('a.example')).toBe(true);
  expect([own.has('test.example'), own.has('a.test.example')]).toEqual([false, false]);
  expect([own.has('old.example'), own.servesRules('old.example')]).toEqual([true, false]);
  const staging = createOwnHosts(HOSTS, 'staging');
  expect(staging.redirectAt('a.b.test.example')?.url).toBe('https://else.test');
  expect([staging.servesRules('test.example'), staging.has('a.example')]).toEqual([true, false]);
});

test('the first host that serves rules is an exact one, if there is one', () => {
  expect(firstHost(HOSTS, 'production')).toBe('*.example');
  expect(firstHost(HOSTS, 'staging')).toBe('test.example');
  expect(firstHost(HOSTS, 'development')).toBeUndefined();
});

describe('the Location of a domain redirect', () => {
  test.each([
    ['https://b.test', '/', null, 'https://b.test/'],
    ['https://b.test/', '/x', 'a=1', 'https://b.test/x?a=1'],
    ['https://b.test/base/', '/x/', null, 'https://b.test/base/x/'],
    ['https://b.test:8443', '//evil.test/x', '', 'https://b.test:8443//evil.test/x?'],
    ['https://b.test', '/\\evil.test', null, 'https://b.test/\\evil.test'],
    ['https://b.test', '/@evil.test', null, 'https://b.test/@evil.test'],
    ['https://b.test', '/a b\r\nX: y', 'q=\u0000', 'https://b.test/a%20b%0D%0AX:%20y?q=%00'],
    ['https://b.test', '*', null, 'https://b.test'],
  ])('%s for %j with the query %j is %s', (url, path, query, location) => {
    expect(domainLocation(to(url), path, query)).toBe(location);
    expect(new URL(location).hostname).toBe('b.test');
  });

  test('without the path of the request is the URL', () => {
    expect(domainLocation(to('https://b.test/x', { keepPath: false }), '/y', 'q=1')).toBe('https://b.test/x');
  });
});

describe('a journey', () => {
  const follow = (rules: string[], path: string, host?: string): Journey =>
    runToEnd(followHops(rulesetOf(rules), { path, query: null, ...(host && { host }) }, optionsFrom(), own));

  test('passes domain redirects, and goes on with rules', () => {
    const { hops, outcome, finalUrl } = follow(['/a -> https://older.example/b', '/base/b -> /c'], '/a');
    expect(hops).toEqual([
      { ruleId: 1, key: '/a', statusCode: 301, location: 'https://older.example/b', url: '/a' },
      { ruleId: null, key: '', statusCode: 308, location: 'http://old.example/b', url: 'https://older.example/b' },
      { ruleId: null, key: '', statusCode: 301, location: 'https://new.example/base/b', url: 'http://old.example/b' },
      { ruleId: 2, key: '/base/b', statusCode: 301, location: '/c', url: '/base/b' },
    ]);
    expect([outcome, finalUrl]).toEqual(['end', '/c']);
  });

  test('from a host with a domain redirect begins there', () => {
    const { hops, outcome, finalUrl } = follow(['/a -> /b'], '/a', 'away.example');
    expect(hops).toMatchObject([{ ruleId: null, url: 'https://away.example/a', location: 'https://else.test/x' }]);
    expect([outcome, finalUrl]).toEqual(['external', 'https://else.test/x']);
  });

  test('that a domain redirect brings back is a loop', () => {
    const { outcome, finalUrl } = follow(['/base/a -> https://old.example/a'], '/base/a', 'new.example');
    expect([outcome, finalUrl]).toEqual(['loop', '/base/a']);
  });

  test('has at most 20 hops, domain redirects included', () => {
    const { hops, outcome } = follow(['~/(.*) -> https://older.example/$1'], '/a');
    expect([hops.length, outcome]).toEqual([20, 'too-many']);
  });
});
