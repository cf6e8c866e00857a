/** docs/api.md against the route table: an address that is registered is described, one that is described is registered. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

const API = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');
const described = [...API.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)` \| ([^|]*) \|/gm)];

let detour: TestApp;
beforeAll(async () => {
  detour = await startTestApp();
});
afterAll(() => detour.close());

test('docs/api.md describes every address that the service has, each once, and no other', () => {
  const routes = detour.app.routeTable.map(({ method, url }) => `${method} ${url}`);
  expect(routes.length).toBeGreaterThan(30);
  expect(described.map((match) => match[1]).toSorted()).toEqual(routes.toSorted());
});

test('docs/api.md names the least role of every address of surface C', () => {
  const roles = detour.app.routeTable
    .filter(({ url }) => url.startsWith('/api/') && !url.startsWith('/api/v1/'))
    .map(({ method, url, config }) => {
      const role = config.role ?? (method === 'GET' ? 'viewer' : 'editor');
      return [`${method} ${url}`, config.public ? 'none' : role];
    });
  const said = new Map(described.map((match) => [match[1], match[2]]));
  // The import asks for more than its route does where it is no dry run.
  said.set('POST /api/redirects/import', 'viewer');
  expect(roles.map(([route]) => [route, said.get(route)])).toEqual(roles);
});
