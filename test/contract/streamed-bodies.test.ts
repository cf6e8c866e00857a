/** Bodies that are read as they come are described by hand: what the API reference says of them is what is taken. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApi } from '../../src/surfaces/docs/openapi.ts';
import type { Schema } from '../../src/surfaces/docs/json-schema.ts';
import { send, sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { operationsOf } from '../surfaces/docs/document.ts';
import { rawRequest } from '../surfaces/edge/raw-request.ts';

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;
let document: OpenApi;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  websiteId = await createSite(owner, ['streams.example.com']);
  document = (await send<OpenApi>(detour.address, 'GET', '/openapi.json', undefined, {})).body;
});
afterAll(() => detour.stop());

function bodyOf(operationId: string, type: string): Schema {
  return operationsOf(document).get(operationId)?.operation.requestBody?.content[type]?.schema ?? {};
}

const namesOf = ({ properties = {} }: Schema): string[] => Object.keys(properties);

/** The names in `it takes a, b, c` of an error. */
const taken = (details: string): string[] => (/ takes (?:a file and )?(.*)$/.exec(details)?.[1] ?? '').split(', ');

test('a bulk body takes the fields that are documented, and names them to whom sends another', async () => {
  const { status, body } = await owner.keyCall('POST', '/api/v1/redirects/bulk', { no_such_field: 1 });
  expect([status, body.code]).toEqual([400, 'UNKNOWN_FIELD']);
  expect(taken(body.details).toSorted()).toEqual(namesOf(bodyOf('importRedirectsV1', 'application/json')).toSorted());
});

test('an entry takes every field that is documented, and no other', async () => {
  const time = '2026-11-21T13:10:40Z';
  const entry: Record<string, unknown> = {
    old_path: '/a',
    new_path: '/b',
    status_code: 302,
    is_regex: false,
    group_id: 'g',
    notes: null,
    target_environments: ['production'],
    active_from: time,
    active_until: null,
    id: '1',
    website_id: '1',
    created_at: time,
    updated_at: time,
    deployed_to_prod: null,
    deployed_to_staging: null,
    deployed_to_dev: time,
  };
  const documented = document.components.schemas['BulkEntry'] ?? {};
  expect(namesOf(documented).toSorted()).toEqual(Object.keys(entry).toSorted());
  const call = (redirects: object[]) =>
    owner.keyCall('POST', '/api/v1/redirects/bulk', {
      website_id: String(websiteId),
      dry_run: true,
      redirects,
    });
  const { body } = await call([entry, { ...entry, no_such_field: 1 }, { old_path: '/c' }]);
  expect(body.summary).toEqual({ total_submitted: 3, created: 1, updated: 0, unchanged: 0, errors: 2 });
  expect(body.errors.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
    [1, 'UNKNOWN_FIELD'],
    [2, 'MISSING_PARAMETER'],
  ]);
});

test('a form takes the fields that are documented, and names them to whom sends another', async () => {
  const form = new FormData();
  form.set('file', new Blob(['old_path,new_path\n/a,/b\n']), 'a.csv');
  form.set('no_such_field', '1');
  const { status, body } = await owner.call('POST', '/api/redirects/import', form);
  expect([status, body.code]).toEqual([400, 'UNKNOWN_FIELD']);
  expect(['file', ...taken(body.details)].toSorted()).toEqual(
    namesOf(bodyOf('importFile', 'multipart/form-data')).toSorted(),
  );
});

test.each([
  ['POST /api/auth/sign-in', 'application/json', 400],
  ['POST /api/v1/redirects/bulk', 'application/json', 400],
  ['POST /api/v1/redirects/bulk', 'application/x-ndjson', 422],
  ['POST /api/redirects/import', 'multipart/form-data; boundary=x', 400],
  ['POST /api/auth/sign-in', 'text/plain', 415],
])('%s without a body, as %s, is an error and not a wait for one', async (route, type, status) => {
  const credentials = [`Cookie: ${owner.cookie}`, `Authorization: Bearer ${owner.key}`];
  const answer = await rawRequest(detour.address, [
    `${route} HTTP/1.1`,
    'Host: x',
    `Content-Type: ${type}`,
    ...credentials,
  ]);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    expect.objectContaining({ code: expect.any(String) }),
  ]);
});
