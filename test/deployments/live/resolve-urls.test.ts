import { expect, test } from 'vitest';
import { resolveUrls } from '../../../src/deployments/live/resolve-urls.ts';
import type { TestedSite } from '../../../src/deployments/live/test-url.ts';
import { rulesetOf } from '../../resolver/rules.ts';

const rules = ['/a -> /b', '/b -> /c', '/loop -> /pool', '/pool -> /loop', '/away -> https://x.example/'];
const tested: TestedSite = {
  site: {
    id: 1,
    accountId: 1,
    caseSensitive: true,
    trailingSlash: 'ignore',
    query: 'pass',
    fallbackUrl: null,
    allowedTargetHosts: [],
    hosts: [{ hostname: 'shop.example', environment: 'production' }],
  },
  environment: 'production',
  rules: { ruleset: rulesetOf(rules), version: 1 },
};

async function outcomes(urls: string[]) {
  const found = [];
  for await (const { url, match, followed } of resolveUrls(tested, urls, new Date())) {
    found.push([url, match?.id ?? null, followed.hops.length, followed.outcome, followed.finalUrl]);
  }
  return found;
}

test('every URL has its result, in order, repetitions included', async () => {
  expect(await outcomes(['/a', '/none', 'https://shop.example/b?x=1', '/loop', '/away', '/a'])).toEqual([
    ['/a', 1, 2, 'end', '/c'],
    ['/none', null, 0, 'end', '/none'],
    ['https://shop.example/b?x=1', 2, 1, 'end', '/c?x=1'],
    ['/loop', 3, 2, 'loop', '/loop'],
    ['/away', 5, 1, 'external', 'https://x.example/'],
    ['/a', 1, 2, 'end', '/c'],
  ]);
});

test('an invalid URL is named before the first result', async () => {
  await expect(resolveUrls(tested, ['/a', 'https://other.example/'], new Date()).next()).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    issues: [{ path: 'urls[1]' }],
  });
});

test('many URLs leave the event loop to others', async () => {
  let others = 0;
  const timer = setInterval(() => others++, 0);
  await outcomes(Array.from({ length: 50_000 }, (_, index) => `/a?${index}`));
  clearInterval(timer);
  expect(others).toBeGreaterThan(5);
});
