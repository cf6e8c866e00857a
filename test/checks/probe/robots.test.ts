import { describe, expect, test } from 'vitest';
import { isAllowed, NO_ROBOTS, parseRobots } from '../../../src/checks/probe/robots.ts';

const own = (...lines: string[]) => parseRobots(['User-agent: Detour-Check', ...lines].join('\n'));

describe('the group Detour-Check', () => {
  test.each([
    [['Disallow: /'], '/', false],
    [['Disallow: /'], '/robots.txt', true],
    [['Disallow:'], '/a', true],
    [['Disallow: /a'], '/a/b', false],
    [['Disallow: /a'], '/A', true],
    [['Disallow: /a/'], '/a', true],
    [['Disallow: /a', 'Allow: /a/b'], '/a/b/c', true],
    [['Allow: /a/b', 'Disallow: /a/b/c'], '/a/b/c', false],
    [['Disallow: /a', 'Allow: /a'], '/a', true],
    [['Allow: /a', 'Disallow: /a'], '/a', true],
    [['Disallow: /*.pdf$'], '/x/y.pdf', false],
    [['Disallow: /*.pdf$'], '/x/y.pdf?a=1', true],
    [['Disallow: /*.pdf'], '/x/y.pdf?a=1', false],
    [['Disallow: /a$'], '/a', false],
    [['Disallow: /a$'], '/ab', true],
    [['Disallow: /a*c$'], '/abcdc', false],
    [['Disallow: /a*ba$'], '/aba', false],
    [['Disallow: /ab*ba$'], '/aba', true],
    [['Disallow: *b'], '/ab', false],
    [['Disallow: /*?session='], '/shop?session=1', false],
    [['Disallow: /a*b*c'], '/a-c-b', true],
    [['Disallow: /fish**'], '/fish', false],
    [['Disallow: /ü'], '/%C3%BC', false],
    [['Disallow: /%c3%bc'], '/%C3%BC', false],
    [['Disallow: /%7Euser'], '/~user', false],
    [['Disallow: /a%2Fb'], '/a/b', true],
    [['disallow : /a # all of it'], '/a', false],
    [['Disallow /a', 'Noindex: /a', 'Sitemap: https://a.example/s.xml'], '/a', true],
  ])('%j: %s is allowed: %s', (lines, path, allowed) => {
    expect(isAllowed(own(...lines), path)).toBe(allowed);
  });

  test.each([['Detour-Check'], ['detour-check'], ['DETOUR-CHECK/1.0'], ['Detour-Check/2 (+https://a.example)']])(
    'is named by %j',
    (agent) => {
      expect(isAllowed(parseRobots(`User-agent: ${agent}\nDisallow: /`), '/a')).toBe(false);
    },
  );

  test.each(['Detour', 'Detour-Checker', 'Googlebot', 'x Detour-Check', ''])('is not named by %j', (agent) => {
    expect(isAllowed(parseRobots(`User-agent: ${agent}\nDisallow: /`), '/a')).toBe(true);
  });

  test('may be one of several agents, may be several groups, and ends with the next agent', () => {
    const text = [
      ...[
        'User-agent: Googlebot',
        'User-agent: Detour-Check',
        'Disallow: /a',
        '',
        'User-agent: Bingbot',
        'Disallow: /b',
      ],
      ...['User-agent: Detour-Check', 'Disallow: /c'],
    ];
    const rules = parseRobots(text.join('\r\n'));
    expect(['/a', '/b', '/c'].map((path) => isAllowed(rules, path))).toEqual([false, true, false]);
  });

  test('has its whole Crawl-delay, and that of all agents does not count', () => {
    expect(parseRobots('User-agent: *\nCrawl-delay: 5').crawlDelaySeconds).toBe(5);
    expect(own('Crawl-delay: 90', 'User-agent: *', 'Crawl-delay: 5').crawlDelaySeconds).toBe(90);
    expect(own('Disallow: /a', 'User-agent: *', 'Crawl-delay: 5').crawlDelaySeconds).toBeNull();
  });
});

describe('the group of all agents', () => {
  test.each([
    ['Crawl-delay: 1.5', 1.5],
    ['Crawl-delay: 31', 30],
    ['Crawl-delay: 99999999999999999999', 30],
    ['Crawl-delay: 0', 0],
    ['Crawl-delay: -1', null],
    ['Crawl-delay: soon', null],
    ['Crawl-delay:', null],
  ])('%s is a delay of %s s', (line, seconds) => {
    expect(parseRobots(`User-agent: *\n${line}`)).toEqual({ rules: [], crawlDelaySeconds: seconds });
  });

  test('forbids nothing', () => {
    expect(isAllowed(parseRobots('User-agent: *\nDisallow: /'), '/a')).toBe(true);
  });
});

test.each([
  ['an empty file', ''],
  ['a page', '<!doctype html><title>Not found</title>'],
  ['rules without an agent', 'Disallow: /\nCrawl-delay: 9'],
  ['bytes', '\u0000\ud800\uffff:\n::\n\r\r'],
])('%s asks for nothing', (_what, text) => {
  expect(parseRobots(text)).toEqual(NO_ROBOTS);
});

test('a byte order mark is no part of the first line', () => {
  expect(isAllowed(parseRobots('\ufeffUser-agent: Detour-Check\nDisallow: /'), '/')).toBe(false);
});

test('a pattern of many stars takes no time', () => {
  const rules = own(`Disallow: /${'a*'.repeat(2_000)}b$`);
  const began = performance.now();
  expect(isAllowed(rules, `/${'a'.repeat(8_000)}`)).toBe(true);
  expect(performance.now() - began).toBeLessThan(100);
});

test('a host that asks for more than 10 minutes between requests, or has more than 1,000 rules, is not asked', () => {
  expect(own('Crawl-delay: 600')).toMatchObject({ crawlDelaySeconds: 600 });
  for (const delay of ['600.5', '9999999', '9'.repeat(400)]) {
    const rules = own(`Crawl-delay: ${delay}`);
    expect([isAllowed(rules, '/a'), rules.crawlDelaySeconds]).toEqual([false, null]);
  }
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `Allow: /${n}`);
  expect(isAllowed(own(...lines(1_000)), '/other')).toBe(true);
  expect(own(...lines(100_000)).rules).toHaveLength(1);
  expect(isAllowed(own(...lines(1_001)), '/0')).toBe(false);
});
