import { expect, test } from 'vitest';
import { directTarget } from '../../dashboard/src/ui/direct-target.ts';

const hop = (location: string | null, status_code = 301, more: { redirect_id?: null; scheduled?: boolean } = {}) => ({
  url: '/',
  redirect_id: 1,
  status_code,
  location,
  ...more,
});

test.each([
  ['one redirect', [hop('/b')], undefined],
  ['a chain', [hop('/b'), hop('/c'), hop('/d')], '/d'],
  ['a temporary first redirect', [hop('/b', 302), hop('/c')], '/c'],
  ['a temporary last redirect', [hop('/b'), hop('/c'), hop('/d', 302)], '/c'],
  ['a temporary second redirect', [hop('/b'), hop('/c', 302), hop('/d')], undefined],
  ['a later redirect that does not keep the method', [hop('/b', 308), hop('/c', 308), hop('/d')], '/c'],
  ['a later redirect with a window', [hop('/b'), hop('/c', 301, { scheduled: true })], undefined],
  ['a host that redirects as a whole', [hop('/b'), hop('https://a/c', 301, { redirect_id: null })], undefined],
  ['a page that is gone', [hop('/b'), hop(null, 410)], undefined],
  ['another host and a fragment', [hop('https://a.example/b#top'), hop('/c')], 'https://a.example/c#top'],
])('the target after %s', (_, hops, expected) => {
  expect(directTarget(hops)).toBe(expected);
});
