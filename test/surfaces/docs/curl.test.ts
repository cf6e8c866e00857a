import { expect, test } from 'vitest';
import type { ExampleRequest } from '../../../src/http/route-docs.ts';
import { curlOf, exampleUrl } from '../../../src/surfaces/docs/curl.ts';

const curl = (method: string, url: string, example: ExampleRequest) =>
  curlOf({ method, url, config: {}, schema: { example } }, 'https://detour.test');

test('a GET has no method and its query in the URL', () => {
  expect(curl('GET', '/api/redirects', { query: { q: 'a b', limit: 2 } })).toBe(
    "curl 'https://detour.test/api/redirects?q=a+b&limit=2' \\\n  -b cookies.txt",
  );
});

test('the key API takes its key from the environment', () => {
  expect(curl('DELETE', '/api/v1/redirects/:id', { path: { id: '7' } })).toBe(
    'curl -X DELETE \'https://detour.test/api/v1/redirects/7\' \\\n  -H "Authorization: Bearer $DETOUR_KEY"',
  );
});

test('a single quote in a body is escaped for the shell', () => {
  expect(curl('POST', '/api/x', { body: { notes: "it's" } })).toContain(`-d '{"notes":"it'\\''s"}'`);
});

test('a form sends its file and fields without a method', () => {
  const form = { file: { name: 'r.csv', text: '' }, fields: { website_id: '1' } };
  expect(curl('POST', '/api/redirects/import', { form })).toMatch(
    /^curl '[^']+' .*-F file=@r\.csv .*-F website_id=1$/s,
  );
});

test('a path parameter without an example value stays a placeholder', () => {
  expect(exampleUrl('/api/imports/:id/rows', {})).toBe('/api/imports/{id}/rows');
});
