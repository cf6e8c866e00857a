/**
 * The reference against the route table: every route is documented with its credential and role, and docs/api.md
 * repeats none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApi } from '../../src/surfaces/docs/openapi.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

const API = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');

let detour: TestApp;
let document: OpenApi;
beforeAll(async () => {
  detour = await startTestApp();
  document = (await detour.call('GET', '/openapi.json')).json();
});
afterAll(() => detour.close());

test('the reference has every route once and no other, and docs/api.md has no table of routes', () => {
  const routes = detour.app.routeTable.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.length).toBeGreaterThan(30);
  expect(documented.toSorted()).toEqual(routes.toSorted());
  expect(API).not.toMatch(/^\| `(GET|POST|PUT|PATCH|DELETE) /m);
});

test('the reference names the required role of every route of surface C', () => {
  const routes = detour.app.routeTable.filter(({ url }) => /^\/api\/(?!v1\/|webhooks)/.test(url));
  const expected = routes.map(({ method, url, config }) => {
    const role = config.role ?? (method === 'GET' ? 'viewer' : 'editor');
    return [`${method} ${url}`, config.public ? 'No credentials' : `Session cookie, role ${role}`];
  });
  const documented = routes.map(({ method, url }) => {
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    return [`${method} ${url}`, operation?.['x-access']];
  });
  expect(documented).toEqual(expected);
});
