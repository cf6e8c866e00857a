import { describe, expect, test } from 'vitest';
import { matchesAny } from '../../../../src/deployments/gate/urls/accepted.ts';
import { type Answer, answerOf, requestFor, type UrlSite } from '../../../../src/deployments/gate/urls/answer-of.ts';
import { createUrlSet } from '../../../../src/deployments/gate/urls/url-set.ts';
import { createOwnHosts, type Host } from '../../../../src/resolver/own-hosts.ts';
import type { UrlState } from '../../../../src/vocabulary/urls.ts';
import { optionsFrom, rulesetOf, type WireOptions } from '../../../resolver/rules.ts';

const RULES = [
  '/moved -> /page',
  '/out -> https://other.example/x',
  '/gone -> 410',
  '/to-gone -> /gone',
  '/loop-1 -> /loop-2',
  '/loop-2 -> /loop-1',
  '/dead -> /removed',
  '/dead-far -> https://www.shop.example/dead?utm=1',
  '/to-host -> https://old.example/moved',
  '/page-2?id=5 -> /page?id=5',
  '/Case -> /page',
  '/slash/ -> /page',
  '/self -> https://shop.example/self',
  '~/pattern/(.*) -> /page',
  ...Array.from({ length: 25 }, (_, at) => `/far-${at} -> /far-${at + 1}`),
];
const HOSTS: Host[] = [
  { hostname: 'shop.example', environment: 'production' },
  { hostname: 'www.shop.example', environment: 'production' },
  {
    hostname: 'old.example',
    environment: 'production',
    redirectTo: { url: 'https://shop.example', statusCode: 301, keepPath: true },
  },
];
const STATES: Record<string, UrlState> = { '/page': 'living', '/removed': 'removed', '/page?id=5': 'removed' };

function answer(url: string, state: UrlState, more: { options?: WireOptions; host?: string } = {}): Answer {
  const site: UrlSite = {
    ruleset: rulesetOf(RULES),
    options: optionsFrom(more.options),
    hosts: createOwnHosts(HOSTS, 'production'),
    host: more.host ?? 'shop.example',
    pageParameters: new Set(['id']),
  };
  return answerOf(site, requestFor(site, url), state, (each) => STATES[each]);
}

describe('a URL that is not living', () => {
  test.each<[string, UrlState, Answer]>([
    ['/absent', 'removed', { answer: 'lost', reason: 'unanswered' }],
    ['/absent', 'known', { answer: 'none' }],
    ['/moved', 'removed', { answer: 'redirected' }],
    ['/out', 'known', { answer: 'redirected' }],
    ['/gone', 'removed', { answer: 'gone' }],
    ['/to-gone', 'removed', { answer: 'gone' }],
    ['/loop-1', 'removed', { answer: 'lost', reason: 'loop' }],
    ['/far-4', 'removed', { answer: 'lost', reason: 'loop' }],
    ['/far-5', 'removed', { answer: 'redirected' }],
    ['/dead', 'known', { answer: 'lost', reason: 'dead_end', end: '/removed' }],
    ['/dead-far', 'removed', { answer: 'lost', reason: 'dead_end', end: '/removed' }],
    ['/to-host', 'removed', { answer: 'redirected' }],
    ['/page-2?id=5', 'removed', { answer: 'lost', reason: 'dead_end', end: '/page?id=5' }],
    ['/self', 'removed', { answer: 'lost', reason: 'unanswered' }],
  ])('%s (%s)', (url, state, expected) => {
    expect(answer(url, state)).toEqual(expected);
  });
});

describe('a living URL', () => {
  const ignoring: WireOptions = { case_sensitive: false };
  test.each<[string, WireOptions, string | undefined]>([
    ['/page', {}, undefined],
    ['/moved', {}, 'literal'],
    ['/loop-1', {}, 'literal'],
    ['/pattern/x', {}, 'pattern'],
    ['/case', ignoring, 'case'],
    ['/case', {}, undefined],
    ['/case/', ignoring, 'slash'],
    ['/slash', {}, 'slash'],
    ['/slash', { trailing_slash: 'exact' }, undefined],
    ['/page-2?id=5', {}, 'literal'],
    ['/self', {}, undefined],
  ])('%s with %j is shadowed by: %s', (url, options, shadow) => {
    const found = answer(url, 'living', { options });
    expect([found.answer, found.shadow]).toEqual([shadow === undefined ? 'living' : 'shadowed', shadow]);
  });
});

test('a host that redirects as a whole answers everything, by the end of the chain', () => {
  expect(answer('/absent', 'known', { host: 'old.example' })).toEqual({ answer: 'redirected' });
  expect(answer('/page', 'living', { host: 'old.example' })).toEqual({ answer: 'redirected' });
  expect(answer('/removed', 'removed', { host: 'old.example' })).toEqual({
    answer: 'lost',
    reason: 'dead_end',
    end: '/removed',
  });
  expect(answer('/gone', 'removed', { host: 'old.example' })).toEqual({ answer: 'gone' });
});

test('a glob matches by its stars only, in linear time', () => {
  const accepts = (glob: string, url: string) => matchesAny([glob])(url);
  expect(accepts('/a/*', '/a/b/c?d=1')).toBe(true);
  expect(accepts('*', '/')).toBe(true);
  expect(accepts('/a*b*a', '/aba')).toBe(true);
  expect(accepts('/ab*ba', '/aba')).toBe(false);
  expect(accepts('/a', '/a/')).toBe(false);
  expect(accepts('/[a].?', '/a.b')).toBe(false);
  expect(accepts('/ä b', '/%C3%A4%20b')).toBe(true);
  expect(accepts('/[%61]?k=ü*', '/%5Ba%5D?k=%C3%BC%20x')).toBe(true);
  expect(accepts('/%c3%a4*', '/%C3%A4/x')).toBe(true);
  expect(accepts('/a%2*', '/a%2Fb')).toBe(true);
  expect(accepts(`/${'*a'.repeat(500)}b`, `/${'a'.repeat(2_000)}`)).toBe(false);
});

test('a set of URLs is exact: many of them, repeated ones, and ones of 2,048 bytes', () => {
  const urls = createUrlSet();
  const long = (at: number): string => `/${String(at).padStart(2_047, 'x')}`;
  for (let at = 0; at < 20_000; at++) urls.put(at % 10 === 0 ? long(at) : `/page-${at}`, 'living', at);
  urls.put('/page-1', 'removed', 5);
  expect(urls.size).toBe(20_000);
  for (let at = 2; at < 20_000; at++) {
    const url = at % 10 === 0 ? long(at) : `/page-${at}`;
    if (urls.stateOf(url) !== 'living' || urls.text(at) !== url || urls.weight(at) !== at) expect.fail(url);
  }
  expect(urls.stateOf('/page-1')).toBe('removed');
  expect(urls.weight(1)).toBe(1);
  expect(urls.stateOf('/absent')).toBeUndefined();
});
