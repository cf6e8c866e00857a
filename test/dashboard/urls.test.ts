import { expect, test } from 'vitest';
import { hostUrl, liveUrl, matchPath, redirectUrl } from '../../dashboard/src/urls.ts';

test.each([
  ['/websites', '/websites', {}],
  ['/websites', '/websites/', {}],
  ['/websites/:websiteId/redirects', '/websites/7/redirects', { websiteId: '7' }],
  ['/a/:one/:two', '/a/1/2', { one: '1', two: '2' }],
  ['/a/:one/:two?', '/a/1', { one: '1' }],
  ['/a/:one/:two?', '/a/1/2', { one: '1', two: '2' }],
])('%s matches %s', (pattern, path, values) => expect(matchPath(pattern, path)).toEqual(values));

test.each([
  ['/websites', '/'],
  ['/websites', '/websites/7'],
  ['/websites/:websiteId/redirects', '/websites//redirects'],
  ['/a/:one/:two?', '/a'],
  ['/a/:one/:two?', '/a/1/2/3'],
  ['/websites/:websiteId/redirects', '/websites/7/import'],
])('%s does not match %s', (pattern, path) => expect(matchPath(pattern, path)).toBeUndefined());

test('live URLs use the first host of the environment, and are undefined without one', () => {
  const hosts = [
    { hostname: 'staging.example.com', environment: 'staging' as const, verified: true },
    { hostname: 'unproven.example.com', environment: 'production' as const, verified: false },
    { hostname: '*.example.com', environment: 'production' as const, verified: true },
    {
      hostname: 'old.example.com',
      environment: 'production' as const,
      redirect_to: { url: 'https://www.example.com', status_code: 301, keep_path: true },
      verified: true,
    },
    { hostname: 'www.example.com', environment: 'production' as const, verified: true },
    { hostname: 'example.com', environment: 'production' as const, verified: true },
  ];
  const website = { hosts } as Parameters<typeof liveUrl>[0];
  expect(liveUrl(website, 'production', '/a?b')).toBe('https://www.example.com/a?b');
  expect(liveUrl(website, 'development', '/a')).toBeUndefined();
});

test('a host has an https URL, a redirect the URL of its page', () => {
  expect(hostUrl('example.com')).toBe('https://example.com/');
  expect(redirectUrl(7, 3)).toBe('/websites/7/redirects/3');
});
