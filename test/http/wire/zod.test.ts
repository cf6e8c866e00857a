/**
 * The status and message of each validation error, in a small separate app. Holds the rules of
 * src/http/wire/zod-issues.ts.
 */
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import * as fields from '../../../src/http/wire/fields.ts';
import { acceptJsonOnly } from '../../../src/http/server/server-options.ts';
import { withZod } from '../../../src/http/wire/zod.ts';
import { testClock } from '../../support/clock.ts';

const app = Fastify();

beforeAll(async () => {
  setErrorHandlers(app, testClock());
  acceptJsonOnly(app);
  const api = withZod(app);
  const Thing = {
    name: fields.name,
    website_id: fields.bodyId,
    status: z.union([z.literal(301), z.literal(302)]).optional(),
    mode: z.enum(['pass', 'drop']).optional(),
    version: z.union([z.enum(['live', 'draft']), z.int()]).optional(),
    words: z.array(z.string()).max(2).optional(),
    roles: z.record(z.string(), z.string()).optional(),
    channel: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('mail') }),
        z.strictObject({ type: z.enum(['chat', 'phone']) }),
      ])
      .optional(),
    hosts: z
      .array(z.strictObject({ hostname: z.string() }))
      .max(2)
      .optional(),
    note: z.string().max(5).nullable().optional(),
    until: fields.Timestamp.optional(),
  };
  api.post('/things', {
    body: fields.bodyObject(Thing, { readOnly: ['id', 'created_at'] }),
    handler: async ({ body }) => body,
  });
  api.put('/things', {
    body: fields.bodyObject({ name: fields.name.optional() }, { readOnly: ['id'], atLeastOne: true }),
    handler: async ({ body }) => body,
  });
  api.get('/things', {
    querystring: fields.queryObject({
      website_id: fields.queryId.optional(),
      force: fields.queryBoolean.optional(),
      limit: fields.queryInteger(1, 1_000).optional(),
      days: fields.periodOfDays.optional(),
    }),
    handler: async ({ query }) => query,
  });
  const params = z.object({ id: fields.pathId('USER_NOT_FOUND', 'User') });
  api.get('/things/:id', { params, handler: async ({ params: found }) => found });
  api.delete('/things/:id', { params, handler: async ({ params: found }) => found });
  api.get('/typed', {
    response: { 200: z.object({ at: fields.Timestamp }) },
    handler: async () => ({ at: new Date('2030-01-02T03:04:05.678Z') }),
  });
  await app.ready();
});
afterAll(() => app.close());

const post = async (payload: unknown, method: 'POST' | 'PUT' = 'POST') => {
  const answer = await app.inject({
    method,
    url: '/things',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
  return { status: answer.statusCode, ...answer.json() };
};
const get = async (url: string) => {
  const answer = await app.inject(url);
  return { status: answer.statusCode, ...answer.json() };
};
const fine = { name: 'a', website_id: 1 };

describe('a body', () => {
  test('that is right arrives decoded with the names of the code, read-only fields dropped', async () => {
    const body = { ...fine, name: '  a b ', id: 9, created_at: {}, until: '2030-01-01T00:00:00.999Z' };
    expect(await post(body)).toEqual({
      status: 200,
      name: 'a b',
      websiteId: 1,
      until: '2030-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['a field is missing', { name: 'a' }, 400, 'MISSING_PARAMETER', 'website_id: is required'],
    [
      'a field has the wrong type',
      { ...fine, name: 7 },
      400,
      'INVALID_PARAMETER',
      'name: must be a string, not a number',
    ],
    ['a field is null', { ...fine, name: null }, 400, 'INVALID_PARAMETER', 'name: must be a string, not null'],
    [
      'an id is a string',
      { ...fine, website_id: '1' },
      400,
      'INVALID_PARAMETER',
      'website_id: must be a number, not a string',
    ],
    [
      'an id is a fraction',
      { ...fine, website_id: 1.5 },
      400,
      'INVALID_PARAMETER',
      'website_id: must be an integer, not a fraction',
    ],
    ['a field is not known', { ...fine, nmae: 'b' }, 400, 'UNKNOWN_FIELD', 'nmae: is not a known field; remove it'],
    [
      'an inner field is not known',
      { ...fine, hosts: [{ hostname: 'a', port: 1 }] },
      400,
      'UNKNOWN_FIELD',
      'hosts[0].port',
    ],
    ['an inner field is missing', { ...fine, hosts: [{}] }, 400, 'MISSING_PARAMETER', 'hosts[0].hostname: is required'],
    ['it is an array', [fine], 400, 'INVALID_PARAMETER', 'body: must be a JSON object, not an array'],
    ['it is a string', 'x', 400, 'INVALID_PARAMETER', 'body: must be a JSON object, not a string'],
    ['a word is no word', { ...fine, mode: 1 }, 400, 'INVALID_PARAMETER', 'mode: must be pass or drop'],
    ['a word is not in the list', { ...fine, mode: 'keep' }, 422, 'VALIDATION_ERROR', 'mode: must be pass or drop'],
    ['a number is not in the list', { ...fine, status: 404 }, 422, 'VALIDATION_ERROR', 'status: must be 301 or 302'],
    [
      'a number of a list is a string',
      { ...fine, status: '301' },
      400,
      'INVALID_PARAMETER',
      'status: must be 301 or 302',
    ],
    [
      'a value fits no type of several',
      { ...fine, version: null },
      400,
      'INVALID_PARAMETER',
      'version: must be live or draft or a number, not null',
    ],
    [
      'a record is a list',
      { ...fine, roles: [] },
      400,
      'INVALID_PARAMETER',
      'roles: must be a JSON object, not an array',
    ],
    [
      'the word that chooses the fields is not in the list',
      { ...fine, channel: { type: 'fax' } },
      422,
      'VALIDATION_ERROR',
      'channel.type: must be mail or chat or phone',
    ],
    [
      'the word that chooses the fields is no word',
      { ...fine, channel: { type: 7 } },
      400,
      'INVALID_PARAMETER',
      'channel.type: must be mail or chat or phone',
    ],
    [
      'the word that chooses the fields is missing',
      { ...fine, channel: {} },
      400,
      'MISSING_PARAMETER',
      'channel.type: is required',
    ],
    ['a name is empty', { ...fine, name: '  ' }, 422, 'VALIDATION_ERROR', 'name: must have 1 to 200 characters'],
    ['a name is too long', { ...fine, name: 'a'.repeat(201) }, 422, 'VALIDATION_ERROR', '1 to 200 characters'],
    [
      'a text is too long',
      { ...fine, note: 'abcdef' },
      422,
      'VALIDATION_ERROR',
      'note: must have at most 5 characters',
    ],
    [
      'a list is too long',
      { ...fine, hosts: [1, 2, 3].map(() => ({ hostname: 'a' })) },
      422,
      'TOO_MANY_ITEMS',
      'hosts: must have at most 2 entries',
    ],
    ['an invalid time', { ...fine, until: 'tomorrow' }, 422, 'VALIDATION_ERROR', 'such as 2030-01-31T12:00:00Z'],
    ['an id is too large for any', { ...fine, website_id: 3_000_000_000 }, 404, 'WEBSITE_NOT_FOUND', 'website_id'],
    ['an id is larger than a double holds', { ...fine, website_id: 1e300 }, 404, 'WEBSITE_NOT_FOUND', 'website_id'],
    ['an id is zero', { ...fine, website_id: 0 }, 404, 'WEBSITE_NOT_FOUND', 'website_id'],
  ])('is rejected where %s', async (_why, body, status, code, details) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, code });
    expect(answer.details).toContain(details);
    expect(answer).toMatchObject({ error: expect.any(String), timestamp: '2030-05-15T12:00:01Z' });
  });

  test('is not blamed for the length of a string where a list is expected', async () => {
    expect((await post({ ...fine, words: 'long' })).details).toBe('words: must be an array, not a string');
  });

  test.each(['a\u0000b', 'a\nb', 'a\u007f', '\ta', 'a\ud800'])('is refused where a name holds %j', async (name) => {
    expect(await post({ ...fine, name })).toMatchObject({
      status: 422,
      issues: [{ path: 'name', code: 'CONTROL_CHARACTER' }],
    });
  });

  test('with several broken rules lists them all', async () => {
    expect(await post({ name: '', website_id: 1, mode: 'x' })).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'name' }, { path: 'mode' }],
    });
  });

  test('with errors of several classes lists all of them, malformed fields first', async () => {
    const answer = await post({ name: '', mode: 'x', nope: 1 });
    expect(answer.status).toBe(400);
    expect(answer.issues).toEqual([
      { path: 'website_id', code: 'MISSING_PARAMETER', message: 'is required' },
      { path: 'nope', code: 'UNKNOWN_FIELD', message: 'is not a known field; remove it' },
      { path: 'name', code: 'VALIDATION_ERROR', message: 'must have 1 to 200 characters' },
      { path: 'mode', code: 'VALIDATION_ERROR', message: 'must be pass or drop' },
    ]);
  });

  test('with nothing to write is rejected where a field is wanted, read-only ones do not count', async () => {
    for (const body of [{}, { id: 4 }]) {
      expect(await post(body, 'PUT')).toMatchObject({
        status: 400,
        code: 'MISSING_PARAMETER',
        details: expect.stringContaining('name'),
      });
    }
    expect(await post({ id: 4, name: 'x' }, 'PUT')).toEqual({ status: 200, name: 'x' });
  });

  test.each([
    ['__proto__', '{"name":"a","website_id":1,"__proto__":{"prototype":{"x":1}}}'],
    ['constructor', '{"name":"a","website_id":1,"constructor":{"prototype":{"x":1}}}'],
    ['hosts[0].__proto__', '{"name":"a","website_id":1,"hosts":[{"hostname":"a","__proto__":1}]}'],
  ])('with the name %s has an unknown field', async (path, payload) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await app.inject({ method: 'POST', url: '/things', headers, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'UNKNOWN_FIELD', issues: [{ path, code: 'UNKNOWN_FIELD' }] });
  });
});

describe('a body that never gets to its schema', () => {
  const raw = async (payload: string | Buffer | undefined, type?: string) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/things',
      headers: type ? { 'content-type': type } : {},
      ...(payload !== undefined && { payload }),
    });
    return { status: answer.statusCode, ...answer.json() };
  };

  test.each([
    ['is not JSON', '{"name":', 'application/json', 400, 'INVALID_JSON'],
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'application/json', 400, 'INVALID_JSON'],
    ['is text', 'name=a', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['is a form', 'name=a', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['has no type', Buffer.from('{}'), undefined, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['is empty', '', 'application/json', 400, 'MISSING_PARAMETER'],
    ['is not there', undefined, undefined, 400, 'MISSING_PARAMETER'],
    ['is null', 'null', 'application/json', 400, 'MISSING_PARAMETER'],
    ['is over 1 MiB', JSON.stringify({ name: 'a'.repeat(1_048_577) }), 'application/json', 413, 'BODY_TOO_LARGE'],
  ])('and %s', async (_what, payload, type, status, code) => {
    expect(await raw(payload, type)).toMatchObject({
      status,
      code,
      error: expect.any(String),
      details: expect.any(String),
    });
  });

  test('the charset of the type does not matter', async () => {
    expect(await raw(JSON.stringify(fine), 'application/json; charset=utf-8')).toMatchObject({ status: 200 });
  });
});

describe('a body that the route does not take', () => {
  test.each([
    ['application/json', '{"name":'],
    ['application/json', JSON.stringify({ name: 'a'.repeat(1_048_577) })],
    ['text/plain', 'x'],
    ['nonsense', 'x'],
  ])('of type %s is ignored', async (type, payload) => {
    const answer = await app.inject({ method: 'DELETE', url: '/things/7', headers: { 'content-type': type }, payload });
    expect([answer.statusCode, answer.json()]).toEqual([200, { id: 7 }]);
  });
});

describe('a query', () => {
  test('that is right arrives decoded with the names of the code', async () => {
    expect(await get('/things?website_id=7&force=true&limit=1000&days=30d')).toEqual({
      status: 200,
      websiteId: 7,
      force: true,
      limit: 1_000,
      days: 30,
    });
  });

  test.each([
    ['website_id=abc', 'website_id: must be an integer'],
    ['website_id=1.5', 'website_id'],
    ['website_id=', 'website_id'],
    ['website_id=1&website_id=2', 'website_id: must be a string, not an array'],
    ['force=1', 'force: must be true or false'],
    ['limit=0', 'limit: must be an integer from 1 to 1000'],
    ['limit=1001', 'limit'],
    ['limit=1e2', 'limit'],
    ['days=366d', 'days: must be from 1d to 365d'],
    ['__proto__=1', '__proto__: is not a known query parameter'],
    ['colour=red', 'colour: is not a known query parameter; this endpoint takes website_id, force, limit, days'],
  ])('%s is rejected as INVALID_PARAMETER', async (query, details) => {
    const answer = await get(`/things?${query}`);
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
    expect(answer.details).toContain(details);
  });

  test.each(['0', '2147483648', '99999999999999999999'])(
    'website_id=%s is a website that does not exist',
    async (id) => {
      expect(await get(`/things?website_id=${id}`)).toMatchObject({ status: 404, code: 'WEBSITE_NOT_FOUND' });
    },
  );
});

describe('an id in a path', () => {
  test('is an integer to the handler', async () => {
    expect(await get('/things/2147483647')).toEqual({ status: 200, id: 2_147_483_647 });
  });

  test.each(['0', '-1', '1.0', '01', '1e3', 'abc', '2147483648', '99999999999999999999', '%20', '1%00'])(
    'that is %s does not exist',
    async (id) => expect(await get(`/things/${id}`)).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' }),
  );
});

test('an answer is encoded by its schema: times in whole seconds', async () => {
  expect(await get('/typed')).toEqual({ status: 200, at: '2030-01-02T03:04:05Z' });
});

test('every schema of the building blocks can be described as JSON Schema', () => {
  const body = fields.bodyObject({ name: fields.name, id: fields.bodyId, at: fields.Timestamp }, { readOnly: ['x'] });
  const query = fields.queryObject({
    q: fields.queryId,
    b: fields.queryBoolean,
    n: fields.queryInteger(1, 2),
  });
  expect(z.toJSONSchema(body, { io: 'input' })).toMatchObject({
    type: 'object',
    required: ['name', 'id', 'at'],
  });
  expect(z.toJSONSchema(query, { io: 'input' })).toMatchObject({ type: 'object', required: ['q', 'b', 'n'] });
});
