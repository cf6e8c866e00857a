import { expect, test } from 'vitest';
import { matchPath } from '../../dashboard/src/urls.ts';

test.each([
  ['/websites', '/websites', {}],
  ['/websites', '/websites/', {}],
  ['/websites/:websiteId/redirects', '/websites/7/redirects', { websiteId: '7' }],
  ['/a/:one/:two', '/a/1/2', { one: '1', two: '2' }],
])('%s matches %s', (pattern, path, values) => expect(matchPath(pattern, path)).toEqual(values));

test.each([
  ['/websites', '/'],
  ['/websites', '/websites/7'],
  ['/websites/:websiteId/redirects', '/websites//redirects'],
  ['/websites/:websiteId/redirects', '/websites/7/import'],
])('%s does not match %s', (pattern, path) => expect(matchPath(pattern, path)).toBeUndefined());
