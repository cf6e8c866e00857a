import { expect, test } from 'vitest';
import { matchPath } from '../../dashboard/src/match-path.ts';

test.each([
  ['/websites', '/websites', {}],
  ['/websites', '/websites/', {}],
  ['/websites/:websiteId/redirects', '/websites/7/redirects', { websiteId: '7' }],
  ['/a/:one/:two', '/a/1/2', { one: '1', two: '2' }],
])('%s is the screen of %s', (pattern, path, values) => expect(matchPath(pattern, path)).toEqual(values));

test.each([
  ['/websites', '/'],
  ['/websites', '/websites/7'],
  ['/websites/:websiteId/redirects', '/websites//redirects'],
  ['/websites/:websiteId/redirects', '/websites/7/import'],
])('%s is not the screen of %s', (pattern, path) => expect(matchPath(pattern, path)).toBeUndefined());
