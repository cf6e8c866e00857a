import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES } from '../../src/surfaces/dashboard/pages.ts';

const ROUTES = readFileSync(join(import.meta.dirname, '..', '..', 'dashboard', 'src', 'routes.ts'), 'utf8');
const paths = [...ROUTES.matchAll(/^ {4}path: '([^']+)'/gm)].map((match) => match[1] ?? '');

const isServed = (path: string): boolean =>
  PAGES.some((page) => page === path || (page.endsWith('/*') && path.startsWith(page.slice(0, -1))));

test('the service serves the page at the path of every screen', () => {
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !isServed(path))).toEqual([]);
});

test('no page path overlaps with the API', () => {
  expect(PAGES.filter((page) => /^\/(api|v1|health|ready|metrics|openapi)/.test(page))).toEqual([]);
});

test('each screen in the sidebar has its own key', () => {
  const keys = [...ROUTES.matchAll(/\bkey: '(.)'/g)].map((match) => match[1]);
  expect(keys.length).toBeGreaterThan(4);
  expect(keys).toEqual([...new Set(keys)]);
});
