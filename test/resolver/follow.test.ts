import { expect, test } from 'vitest';
import { followHops, type Journey, loopOf, walkHops } from '../../src/resolver/follow.ts';
import { createOwnHosts } from '../../src/resolver/own-hosts.ts';
import { optionsFrom, rulesetOf, runToEnd } from './rules.ts';

const OWN = createOwnHosts([{ hostname: 'own.example', environment: 'production' }], 'production');

function follow(rules: string[], path: string, query: string | null = null, maxHops?: number): Journey {
  return runToEnd(followHops(rulesetOf(rules), { path, query }, optionsFrom(), OWN, maxHops));
}

test('an address without rule is the end, without a hop', () => {
  expect(follow(['/b -> /c'], '/a')).toEqual({ hops: [], outcome: 'end', finalUrl: '/a' });
});

test('hops are followed to an address that no rule answers', () => {
  const { hops, outcome, finalUrl } = follow(['/a -> 302 /b#x', '/b -> /ü?k=v'], '/a', 'q=1');
  expect(hops).toEqual([
    { ruleId: 1, key: '/a', statusCode: 302, location: '/b?q=1#x', url: '/a?q=1' },
    { ruleId: 2, key: '/b', statusCode: 301, location: '/%C3%BC?k=v&q=1', url: '/b?q=1' },
  ]);
  expect([outcome, finalUrl]).toEqual(['end', '/%C3%BC?k=v&q=1']);
});

test('an address that comes back is a loop, and closes the list of hops', () => {
  const { hops, outcome, finalUrl } = follow(['/a -> /b', '/b -> /c', '/c -> /b'], '/a');
  expect(hops.map((hop) => hop.url)).toEqual(['/a', '/b', '/c']);
  expect([outcome, finalUrl]).toEqual(['loop', '/b']);
});

test('another query is another address, so a growing one is not a loop but too many', () => {
  const { hops, outcome } = follow(['~/(.*) -> /x$1'], '/a', null, 5);
  expect([hops.length, outcome]).toEqual([5, 'too-many']);
});

test('a chain of exactly as many hops as are followed reaches its end', () => {
  expect(follow(['/a -> /b', '/b -> /c'], '/a', null, 2)).toMatchObject({ outcome: 'end', finalUrl: '/c' });
});

test('a rule that leads to itself is no loop', () => {
  expect(follow(['/a/ -> /a'], '/a/')).toMatchObject({ outcome: 'end', finalUrl: '/a' });
});

test('a page that is gone is an end of its own', () => {
  const { hops, outcome, finalUrl } = follow(['/a -> /b', '/b -> 410'], '/a');
  expect(hops.at(-1)).toMatchObject({ statusCode: 410, location: null, url: '/b' });
  expect([outcome, finalUrl]).toEqual(['gone', '/b']);
});

test('another host is not followed', () => {
  expect(follow(['/a -> https://other.example/b'], '/a')).toMatchObject({
    outcome: 'external',
    finalUrl: 'https://other.example/b',
  });
});

test('an own host is followed, however it is written', () => {
  const { hops, outcome } = follow(['/a -> https://OWN.example:443/b', '/b -> /a'], '/a');
  expect([hops.length, outcome]).toEqual([2, 'loop']);
});

test('a change of scheme alone is no loop where the scheme is known', () => {
  const rules = rulesetOf(['/a -> https://own.example/a']);
  const start = { path: '/a', query: null, host: 'own.example', scheme: 'http' };
  const { hops, outcome } = runToEnd(followHops(rules, start, optionsFrom(), OWN));
  expect([hops.length, outcome]).toEqual([1, 'end']);
});

test('a walk pulls one match per step, so the rules may change on the way', () => {
  const requested: string[] = [];
  let rules = rulesetOf(['/a -> /b']);
  const steps = walkHops(
    (request) => {
      requested.push(request.path);
      return rules.match(request, optionsFrom());
    },
    { path: '/a', query: null },
    OWN,
  );
  const paths: (string | undefined)[] = [];
  for (const { next } of steps) {
    paths.push(next?.path);
    rules = rulesetOf(['/b -> 410']);
  }
  expect([paths, requested]).toEqual([
    ['/b', undefined],
    ['/a', '/b'],
  ]);
});

test('a walk through a loop goes on until the caller stops', () => {
  const rules = rulesetOf(['/a -> /b', '/b -> /a']);
  const start = { path: '/a', query: null };
  const steps = walkHops((request) => rules.match(request, optionsFrom()), start, OWN);
  const ids = steps.take(5).map(({ match }) => match.id);
  expect([...ids]).toEqual([1, 2, 1, 2, 1]);
});

test('the loop of a journey starts at the repeated address, and only a loop has one', () => {
  const loop = loopOf(follow(['/a -> /b', '/b -> /c', '/c -> /b'], '/a'));
  expect(loop?.map((hop) => hop.url)).toEqual(['/b', '/c']);
  expect(loopOf(follow(['/a -> /b'], '/a'))).toBeUndefined();
});
