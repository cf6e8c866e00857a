import { describe, expect, test } from 'vitest';
import { type ExpectedResponse, failureOf, type VisitedSite } from '../../../src/deployments/gate/compare.ts';
import { failureJson, failuresInWords } from '../../../src/deployments/gate/describe.ts';
import { createTimeSlice } from '../../../src/platform/scheduling/time-slice.ts';
import { createOwnHosts } from '../../../src/resolver/own-hosts.ts';
import { optionsFrom, rulesetOf } from '../../resolver/rules.ts';

const OWN = createOwnHosts(
  ['shop.example', 'www.shop.example'].map((hostname) => ({ hostname, environment: 'production' })),
  'production',
);
const RULES = [
  '/a -> /b',
  '/b -> https://www.shop.example/c?x=1',
  '/out -> https://other.example/End#part',
  '/gone -> 410',
  '/to-gone -> 302 /gone',
  '/loop-1 -> /loop-2',
  '/loop-2 -> /loop-1',
  '/Case -> /upper',
  ...Array.from({ length: 30 }, (_, at) => `/far-${at} -> /far-${at + 1}`),
];

const site = (options: Partial<VisitedSite> = {}): VisitedSite => ({
  ruleset: rulesetOf(RULES),
  options: optionsFrom(),
  fallbackUrl: null,
  hosts: OWN,
  ...options,
});

const failure = (url: string, expected: Partial<ExpectedResponse>, visited = site()) =>
  failureOf(visited, { url, statusCode: 301, location: null, final: null, ...expected }, createTimeSlice());

describe('the first response', () => {
  test.each<[string, Partial<ExpectedResponse>]>([
    ['/a', { statusCode: 301 }],
    ['/a', { statusCode: 301, location: '/b' }],
    ['/a?ref=1', { statusCode: 301, location: '/b?ref=1' }],
    ['https://SHOP.example:443/a', { statusCode: 301, location: '/b' }],
    ['/gone', { statusCode: 410 }],
    ['/absent', { statusCode: 404 }],
  ])('%s is as expected: %j', async (url, expected) => {
    expect(await failure(url, expected)).toBeUndefined();
  });

  test('another status, another Location and a Location in another spelling fail', async () => {
    const actual = { statusCode: 301, location: '/b', final: null, problem: null };
    expect(await failure('/a', { statusCode: 302 })).toMatchObject({ url: '/a', actual });
    expect(await failure('/a', { location: '/c' })).toMatchObject({ expected: { location: '/c' }, actual });
    expect(await failure('/a', { location: '/b/' })).toMatchObject({ actual });
    expect(await failure('/a', { statusCode: 404 })).toMatchObject({ actual });
  });

  test('follows the options of the website', async () => {
    const ignoresCase = site({ options: optionsFrom({ case_sensitive: false, query: 'drop' }) });
    expect(await failure('/case?q=1', { location: '/upper' }, ignoresCase)).toBeUndefined();
    expect(await failure('/case', { statusCode: 404 })).toBeUndefined();
  });

  test('is the fallback of the website where no rule matches, with the path as it was sent', async () => {
    const visited = site({ fallbackUrl: 'https://new.example/' });
    expect(await failure('/%7Ex?q=1', { statusCode: 302, location: 'https://new.example/%7Ex?q=1' }, visited)).toBe(
      undefined,
    );
    expect(await failure('/x', { statusCode: 404 }, visited)).toMatchObject({ actual: { statusCode: 302 } });
  });

  test('does not exist on a host that the website does not have in this environment', async () => {
    const problem = 'old.example is not a host of this website here';
    expect(await failure('https://old.example/a', { location: '/b' })).toMatchObject({
      actual: { statusCode: null, location: null, problem },
    });
  });
});

describe('the end of the chain', () => {
  test.each([
    ['/a', 301, '/c?x=1'],
    ['/a', 301, 'https://www.shop.example/%63?x=1'],
    ['https://shop.example/a', 301, 'https://WWW.shop.example/c?x=1'],
    ['/out', 301, 'https://other.example/End'],
    ['/out', 301, 'https://other.example/End#part'],
    ['/to-gone', 302, '/gone'],
  ])('of %s (%d) is %s', async (url, statusCode, final) => {
    expect(await failure(url, { statusCode, final })).toBeUndefined();
  });

  test.each([
    ['/a', '/b', { final: '/c?x=1', problem: null }],
    ['/a', 'https://shop.example/c?x=1', { final: '/c?x=1', problem: null }],
    ['/out', 'http://other.example/End', { final: 'https://other.example/End#part' }],
    ['/out', '/End', { final: 'https://other.example/End#part' }],
    ['/loop-1', '/loop-1', { final: '/loop-1', problem: 'the chain is a loop: it returns to /loop-1' }],
    ['/far-0', '/far-30', { problem: 'the chain has more than 20 redirects' }],
    ['/absent', '/absent', { statusCode: 404, final: '/absent' }],
  ])('of %s is not %s', async (url, final, actual) => {
    expect(await failure(url, { final })).toMatchObject({ url, expected: { final }, actual });
  });
});

describe('in words and as JSON', () => {
  test('an error counts the failures and names the first three', async () => {
    const found = await Promise.all([
      failure('/a', { location: '/c' }),
      failure('/absent', { location: '/b' }),
      failure('/loop-1', { final: '/b' }),
      failure(`/${'x'.repeat(300)}`, {}),
    ]);
    const failures = found.filter((each) => each !== undefined);
    expect(failuresInWords(4, 1_200, failures)).toBe(
      '4 of 1,200 expectations failed: /a: expected 301 to /c, got 301 to /b; /absent: expected 301 to /b, got 404; ' +
        '/loop-1: expected 301 ending at /b, got the chain is a loop: it returns to /loop-1; and more',
    );
    expect(failuresInWords(1, 1, failures.slice(3))).toContain(`${'x'.repeat(199)}…: expected 301, got 404`);
    expect(JSON.parse(failureJson(failures[0] ?? expect.fail()))).toEqual({
      url: '/a',
      expected: { status_code: 301, location: '/c', final: null },
      actual: { status_code: 301, location: '/b', final: null, problem: null },
    });
  });
});
