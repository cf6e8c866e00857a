import { expect, test } from 'vitest';
import { ACCOUNT_NAV, WEBSITE_NAV } from '../../dashboard/src/nav.ts';
import { PAGES } from '../../src/surfaces/dashboard/plugin.ts';
import { DASHBOARD_ROUTES, ROUTES_SOURCE } from '../support/dashboard-routes.ts';

const paths = DASHBOARD_ROUTES.map(({ path }) => path);

const isServed = (path: string): boolean =>
  PAGES.some((page) => page === path || (page.endsWith('/*') && path.startsWith(page.slice(0, -1))));

test('the service serves the page at the path of every screen', () => {
  // Two paths share a screen, and a redirect has one beside the list.
  expect(paths.length).toBe((ROUTES_SOURCE.match(/await import\(/g)?.length ?? 0) + 2);
  expect(paths.filter((path) => !isServed(path))).toEqual([]);
});

test('no page path overlaps with the API', () => {
  expect(PAGES.filter((page) => /^\/(api|v1|health|ready|metrics|openapi)/.test(page))).toEqual([]);
});

test('each screen in the sidebar has its own key', () => {
  const keys = [...WEBSITE_NAV, ...ACCOUNT_NAV].map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(4);
  expect(keys).toEqual([...new Set(keys)]);
});
