/**
 * GET /openapi.json and /docs: complete, derived from the routes, and a route or field without documentation is named.
 * Holds the rules of src/surfaces/docs/plugin.ts, route-errors.ts, src/surfaces/docs/page/page.ts and
 * operation-section.ts.
 */
import { EVENT_KINDS } from '../../../src/vocabulary/kinds.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenApi } from '../../../src/surfaces/docs/openapi.ts';
import type { Schema } from '../../../src/surfaces/docs/json-schema.ts';
import { STATUS } from '../../../src/http/errors/status.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { operationsOf, type Placed } from './document.ts';

let detour: TestApp;
let document: OpenApi;
let operations: Map<string, Placed>;
beforeAll(async () => {
  detour = await startTestApp({ env: { PUBLIC_URL: 'https://redirects.acme.test', COOKIE_PREFIX: 'acme' } });
  document = (await detour.call('GET', '/openapi.json')).json();
  operations = operationsOf(document);
});
afterAll(() => detour.close());

describe('every route', () => {
  test('has a unique operationId, a tag, a summary and a description of its response', () => {
    const { routeTable } = detour.app;
    const undocumented = routeTable.filter(
      ({ schema }) => !schema?.operationId || !schema.tag || !schema.summary || !schema.returns,
    );
    expect(undocumented.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    expect(operations.size).toBe(routeTable.length);
  });

  test('has a schema of its response, or `gives` if it streams', () => {
    const undocumented = detour.app.routeTable.filter(({ schema, config }) => {
      const responses = Object.entries(schema?.response ?? {});
      const hasSchema = responses.some(([status, one]) => status.startsWith('2') && one instanceof z.ZodType);
      return !hasSchema && !config.gives;
    });
    expect(undocumented.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  });

  test('has an example for each part of its path, and for its body', () => {
    const without = [...operations.values()].filter(
      ({ operation: { parameters = [], requestBody } }) =>
        parameters.some((one) => one.in === 'path' && one.example === undefined) ||
        (requestBody?.content['application/json'] && !('example' in requestBody.content['application/json'])),
    );
    expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
  });
});

/** Every field in the document with the names on the way to it. */
function* fieldsOf(schema: unknown, names: string[]): Generator<[string[], Schema]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, items, anyOf, additionalProperties } = schema as Schema;
  for (const [name, field] of Object.entries(properties ?? {})) {
    if (typeof field === 'object') yield [[...names, name], field];
    yield* fieldsOf(field, [...names, name]);
  }
  for (const part of [items, additionalProperties, ...(anyOf ?? [])]) yield* fieldsOf(part, names);
}

function allFields(): [string[], Schema][] {
  const schemas = Object.entries(document.components.schemas).flatMap(([name, one]) => [...fieldsOf(one, [name])]);
  const others = [...operations].flatMap(([id, { operation }]) => {
    const media = [
      operation.requestBody,
      ...Object.entries(operation.responses).map(([status, one]) => (status < '3' ? one : undefined)),
    ];
    const parameters = (operation.parameters ?? []).map(({ name, schema, description }): [string[], Schema] => [
      [id, name],
      { ...schema, ...(description !== undefined && { description }) },
    ]);
    return [
      ...parameters,
      ...media.flatMap((one) => Object.values(one?.content ?? {}).flatMap(({ schema }) => [...fieldsOf(schema, [id])])),
    ];
  });
  return [...schemas, ...others];
}

test('every field and parameter has a description', () => {
  const fields = allFields();
  expect(fields.length).toBeGreaterThan(500);
  expect(fields.filter(([, field]) => !field.description).map(([names]) => names.join('.'))).toEqual([]);
});

test('fields of the same name in different resources have their own descriptions', () => {
  const { properties = {} } = document.components.schemas['Webhook'] ?? {};
  expect(properties['id']).toMatchObject({ description: 'The id, `wh_...`.' });
  const website = document.components.schemas['Website']?.properties ?? {};
  expect(website['id']).toMatchObject({ description: 'The id of the website.' });
});

test('every error code has its status in the operations that return it', () => {
  const codes = new Set<string>();
  for (const { operation } of operations.values()) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      for (const [, code = ''] of description.matchAll(/^`([A-Z_]+)`: /gm)) {
        codes.add(code);
        const { operationId } = operation;
        // A follower of a feed learns by the status that it must fetch the whole version.
        const statuses: Record<string, number> =
          operationId === 'getFeedV1' ? { ...STATUS, VERSION_EXPIRED: 410 } : STATUS;
        expect([operationId, code, statuses[code]]).toEqual([operationId, code, Number(status)]);
      }
    }
  }
  // Codes in the issues of a response, in the errors of an import, or in responses to visitors.
  const inside = Object.keys(STATUS).filter((code) => !codes.has(code));
  expect(inside.toSorted()).toEqual(
    [
      'AMBIGUOUS_WILDCARD',
      'CONDITION_NOT_SUPPORTED',
      'ORDER_CONFLICT',
      'CONTROL_CHARACTER',
      'DELETE_NOT_SUPPORTED',
      'EXPECTATION_FAILED',
      'INVALID_BOOLEAN',
      'INVALID_ENVIRONMENT',
      'INVALID_NEW_PATH',
      'ROW_CHANGED',
      'INVALID_OLD_PATH',
      'INVALID_SCHEDULE',
      'INVALID_STATUS_CODE',
      'INVALID_TEXT',
      'MALFORMED_ROW',
      'METHOD_NOT_ALLOWED',
      'MISDIRECTED_REQUEST',
      'NOT_FOUND',
      'SOURCE_HOST_MISMATCH',
      'TARGET_NOT_ALLOWED',
      'TARGET_REQUIRED',
      'TOO_LONG',
      'URI_TOO_LONG',
      'WEBSITE_MISMATCH',
    ].toSorted(),
  );
});

test('URLs, the cookie and examples are those of this installation', () => {
  expect(document.servers).toEqual([{ url: 'https://redirects.acme.test' }]);
  expect(document.components.securitySchemes).toMatchObject({ session: { name: 'acme.session-token' } });
  const [sample] = operations.get('getRedirectHits')?.operation['x-codeSamples'] ?? [];
  expect(sample?.source).toBe(
    'curl \'https://redirects.acme.test/api/v1/analytics/redirects/1?period=2d\' \\\n  -H "Authorization: Bearer $DETOUR_KEY"',
  );
});

test('parameters have their wire types, and only required ones are required', () => {
  const parameters = operations.get('listRedirects')?.operation.parameters ?? [];
  const limit = parameters.find(({ name }) => name === 'limit');
  expect(limit).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1_000 },
  });
  expect(operations.get('getWebsiteHits')?.operation.parameters?.[0]).toMatchObject({
    name: 'website_id',
    required: true,
    schema: { type: 'string' },
  });
});

describe('the page', () => {
  test('shows every operation with its curl command, under a policy that blocks foreign resources', async () => {
    const page = await detour.call('GET', '/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    for (const id of operations.keys()) expect(page.body).toContain(`<article class="operation" id="${id}">`);
    expect(page.body.match(/aria-label="curl"/g)?.length).toBe(operations.size);
  });

  test('its internal links have targets, and it requests nothing from other hosts', async () => {
    const { body } = await detour.call('GET', '/docs');
    const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(150);
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    const urls = [...body.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, url]) => url);
    expect([...new Set(urls)].toSorted()).toEqual([
      '/',
      '/docs/mark.svg',
      '/docs/reference.css',
      '/docs/reference.js',
      '/openapi.json',
    ]);
    expect(body).not.toMatch(/ style=|<script>|<style>| on[a-z]+=/);
    for (const url of urls.filter((one) => one?.startsWith('/docs/'))) {
      expect((await detour.call('GET', url ?? '')).statusCode).toBe(200);
    }
  });

  test('is sent compressed, and as 304 if the client has it', async () => {
    const first = await detour.call('GET', '/docs', { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers['content-encoding']).toBe('gzip');
    expect(first.rawPayload.length).toBeLessThan(155_000);
    const again = await detour.call('GET', '/docs', {
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

test('the body is optional only where the service accepts a request without one', () => {
  const optional = [...operations].filter(([, { operation }]) => operation.requestBody?.required === false);
  expect(optional.map(([id]) => id).toSorted()).toEqual([
    'applyMoveV1',
    'commitUrlUploadV1',
    'openUrlUploadV1',
    'removeUser',
    'rotateWebhookSecret',
    'runExpectations',
    'runExpectationsV1',
    'testWebhook',
    'undoChange',
    'undoChangeV1',
    'undoMoveStepsV1',
  ]);
});

test('options of an import and filters have their types, and every event type is a webhook', () => {
  const typesOf = (path: string, names: string[]) =>
    names.map(
      (name) =>
        document.paths[path]?.[path.endsWith('import') ? 'post' : 'get']?.parameters?.find((one) => one.name === name)
          ?.schema,
    );
  expect(typesOf('/api/redirects/import', ['website_id', 'dry_run', 'on_conflict'])).toEqual([
    { type: 'integer', minimum: 1 },
    { type: 'boolean' },
    { type: 'string', enum: ['skip', 'update'] },
  ]);
  expect(typesOf('/api/redirects', ['status_code'])).toMatchObject([
    { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
  ]);
  expect(Object.keys(document.webhooks)).toEqual(EVENT_KINDS);
});
