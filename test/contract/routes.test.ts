/** Guarantees of every route under /api. Walks the route table, so that a new route is covered automatically. */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/db/connection/client.ts';
import type { TableRoute } from '../../src/http/route-table.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../support/app.ts';

/** The routes that need no credentials. Any other public route fails the test. */
const PUBLIC = [
  'GET /api/tls/ask',
  'POST /api/auth/accept-invitation',
  'POST /api/auth/forgot-password',
  'POST /api/auth/invitation',
  'POST /api/auth/sign-in',
  'POST /api/auth/sign-up',
];
/** Routes with streamed or multipart bodies. */
const OTHER_BODIES = ['POST /api/redirects/import', 'POST /api/v1/redirects/bulk'];

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
let key: string;
let table: TableRoute[];
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  cookie = await detour.cookieOf(owner.email);
  ({ key } = await owner.key());
  table = detour.app.routeTable.filter((route) => /^\/(api|v1)\//.test(route.url));
});
// A new minute for every test, or the rate limit would reject it.
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

const nameOf = (route: TableRoute): string => `${route.method} ${route.url}`;
const isOpen = (route: TableRoute): boolean => PUBLIC.includes(nameOf(route));
const takesKey = (route: TableRoute): boolean => /^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(route.url);
const writes = (route: TableRoute): boolean => route.method !== 'GET';
/** Needs more than a viewer, also by the guard's default. */
const isForEditors = (route: TableRoute): boolean =>
  (route.config.role ?? (writes(route) ? 'editor' : 'viewer')) !== 'viewer';

interface Sent {
  cookie?: string;
  /** sends the cookie as the dashboard does to routes that take a key */
  isDashboard?: boolean;
  key?: string;
  headers?: Record<string, string>;
  payload?: string;
  query?: string;
}

async function send(
  route: TableRoute,
  { query = '', payload, headers, ...credentials }: Sent,
): Promise<LightMyRequestResponse> {
  const url = route.url.replace(/:\w+/g, '1') + query;
  return detour.app.inject({
    method: route.method as Method,
    url,
    headers: {
      ...(credentials.cookie && { cookie: credentials.cookie }),
      ...(credentials.isDashboard && { 'x-detour-dashboard': '1' }),
      ...(credentials.key && { authorization: `Bearer ${credentials.key}` }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  });
}

const json = { 'content-type': 'application/json' };
const rightful = (route: TableRoute): Sent =>
  takesKey(route) && route.config.keys !== false ? { key } : { cookie, isDashboard: true };

/** Expects this response from every route that `which` selects; reports all routes that differ. */
async function expectAll(
  which: (route: TableRoute) => boolean,
  sent: (route: TableRoute) => Sent,
  expected: [status: number, code: string],
): Promise<void> {
  const picked = table.filter(which);
  expect(picked.length).toBeGreaterThan(0);
  const strays: unknown[] = [];
  for (const [index, route] of picked.entries()) {
    // Within the budget of an address without credentials.
    if (index % 90 === 89) detour.clock.advance(60_000);
    const answer = await send(route, sent(route));
    const body: unknown = answer.json();
    const isErrorBody = ErrorBody.safeParse(body).success;
    const isLimited = LIMIT_HEADERS.every((name) => /^\d+$/.test(String(answer.headers[name])));
    const isNamed = /^[\w-]{20,}$/.test(String(answer.headers['x-request-id']));
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    const isFine = answer.statusCode === expected[0] && code === expected[1] && isErrorBody && isLimited && isNamed;
    if (!isFine) strays.push([nameOf(route), answer.statusCode, body]);
  }
  expect(strays).toEqual([]);
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const ErrorBody = z.strictObject({
  error: z.string().min(1),
  details: z.string().min(1),
  code: z.string(),
  timestamp: z.iso.datetime({ precision: 0 }),
  issues: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  /** of GET /api/auth/session */
  mail: z.boolean().optional(),
});

const takesJson = (route: TableRoute): boolean => route.schema?.body instanceof z.ZodType;
/** Not so where every field can be omitted. */
const needsBody = ({ schema }: TableRoute): boolean =>
  schema?.body instanceof z.ZodType && !schema.body.safeDecode({}).success;

test('the table holds the routes of both surfaces', () => {
  const names = table.map(nameOf);
  expect(names).toEqual(
    expect.arrayContaining([...PUBLIC, 'GET /api/account', 'GET /api/redirects', 'GET /api/v1/websites']),
  );
  expect(names.length).toBe(new Set(names).size);
});

test('only the listed routes say that they are public', () => {
  expect(
    table
      .filter((route) => route.config.public)
      .map(nameOf)
      .toSorted(),
  ).toEqual(PUBLIC);
});

describe('401', () => {
  const closed = (route: TableRoute): boolean => !isOpen(route);
  test('without credentials', () => expectAll(closed, () => ({}), [401, 'UNAUTHORIZED']));
  test('with an unknown token and an unknown key', () =>
    expectAll(closed, () => ({ cookie: 'detour.session-token=x', key: 'dtr_x' }), [401, 'UNAUTHORIZED']));
  test('with the other surface’s credential', () =>
    expectAll(closed, (route) => (takesKey(route) ? { cookie } : { key }), [401, 'UNAUTHORIZED']));
  test('before the body is looked at', () =>
    expectAll(
      (route) => closed(route) && writes(route),
      () => ({ headers: json, payload: '{' }),
      [401, 'UNAUTHORIZED'],
    ));
});

describe('403', () => {
  test('for a viewer who asks for more than reading', async () => {
    const viewer = await detour.cookieOf((await owner.user('viewer')).email);
    const which = (route: TableRoute): boolean => !takesKey(route) && !isOpen(route) && isForEditors(route);
    await expectAll(which, () => ({ cookie: viewer }), [403, 'INSUFFICIENT_ROLE']);
  });

  test('for a read key that asks for more than reading', async () => {
    const read = await owner.key({ scope: 'read' });
    await expectAll(
      (route) => takesKey(route) && isForEditors(route) && route.config.scope !== 'read',
      () => ({ key: read.key }),
      [403, 'INSUFFICIENT_SCOPE'],
    );
  });

  test('for a key of a free account', async () => {
    const free = await (await detour.account('free')).key();
    await expectAll(takesKey, () => ({ key: free.key }), [403, 'PLAN_REQUIRED']);
  });

  test('for a write with the cookie from another site', () =>
    expectAll(
      (route) => !takesKey(route) && writes(route),
      () => ({ cookie, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }),
      [403, 'CROSS_ORIGIN'],
    ));
});

describe('400, 413 and 415', () => {
  const send400 = (payload: string) => (route: TableRoute) => ({
    ...rightful(route),
    headers: json,
    payload,
  });
  test('a body that is not JSON', () => expectAll(takesJson, send400('{"a":'), [400, 'INVALID_JSON']));
  test('a body that is a list', () => expectAll(takesJson, send400('[]'), [400, 'INVALID_PARAMETER']));
  test('a body that is a text', () => expectAll(takesJson, send400('"x"'), [400, 'INVALID_PARAMETER']));
  test('no body for a route that needs one', () =>
    expectAll(needsBody, (route) => ({ ...rightful(route), headers: json, payload: '' }), [400, 'MISSING_PARAMETER']));
  test('an unknown field is named', async () => {
    for (const route of table.filter(takesJson)) {
      const answer = await send(route, send400('{"no_such_field":1}')(route));
      const issues: unknown = answer.json().issues;
      expect([nameOf(route), answer.statusCode, issues]).toEqual([
        nameOf(route),
        400,
        expect.arrayContaining([expect.objectContaining({ path: 'no_such_field', code: 'UNKNOWN_FIELD' })]),
      ]);
    }
  });
  test('a body over 1 MiB', () => {
    const payload = JSON.stringify({ x: 'a'.repeat(1_048_577) });
    return expectAll(takesJson, (route) => ({ ...rightful(route), headers: json, payload }), [413, 'BODY_TOO_LARGE']);
  });
  test('a body of another type', () =>
    expectAll(
      takesJson,
      (route) => ({ ...rightful(route), headers: { 'content-type': 'text/plain' }, payload: '{}' }),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ));
  test('a body of a type that a streamed route does not take, with a message that names those it takes', async () => {
    const sent = { headers: { 'content-type': 'text/plain' }, payload: '{' };
    // Lists of URLs, logs and spreadsheets may have any media type.
    for (const route of table.filter((one) => one.config.takes && !/\/(urls|logs|moves)/.test(one.url))) {
      const types = Object.keys(route.config.takes ?? {}).filter((type) => type !== 'application/json');
      const answer = await send(route, { ...rightful(route), ...sent });
      expect([nameOf(route), answer.statusCode, answer.json()]).toMatchObject([
        nameOf(route),
        415,
        { code: 'UNSUPPORTED_MEDIA_TYPE', details: expect.stringContaining(types.join(' or ')) },
      ]);
    }
  });
  test('JSON for the import of a file', () =>
    expectAll(
      (route) => nameOf(route) === 'POST /api/redirects/import',
      () => ({ cookie, headers: json, payload: '{' }),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ));
  test('an unknown query parameter', () =>
    expectAll(
      (route) =>
        route.schema?.querystring instanceof z.ZodType && !takesJson(route) && !OTHER_BODIES.includes(nameOf(route)),
      (route) => ({ ...rightful(route), query: `?no_such_parameter=1${requiredOf(route)}` }),
      [400, 'INVALID_PARAMETER'],
    ));
});

/** A value for every query parameter that the route cannot do without. */
function requiredOf(route: TableRoute): string {
  const schema = route.schema?.querystring;
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  return shape
    .filter(([, one]) => !one.safeParse(undefined).success)
    .map(([name]) => `&${name}=production`)
    .join('');
}

describe('404', () => {
  // Minutes of the clock have passed, and some routes need a sign-in of the last 30.
  beforeAll(async () => void (cookie = await detour.cookieOf(owner.email)));

  test.each(['x'.repeat(101), 'x'.repeat(50_000), '%00'])('an id that cannot exist is not found (%#)', async (id) => {
    const picked = table.filter((route) => route.url.includes(':') && !takesJson(route) && !route.url.includes(':env'));
    expect(picked.length).toBeGreaterThan(10);
    for (const route of picked) {
      detour.clock.advance(1_000);
      const answer = await detour.app.inject({
        method: route.method as Method,
        url: `${route.url.replace(/:\w+/g, id)}?${requiredOf(route)}`,
        headers: takesKey(route) ? { authorization: `Bearer ${key}` } : { cookie },
      });
      expect([nameOf(route), answer.statusCode, answer.json().code]).toEqual([
        nameOf(route),
        404,
        expect.stringMatching(/^[A-Z]+_NOT_FOUND$/),
      ]);
    }
  });

  test.each([
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nothing'],
    ['POST', '/api/nothing'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nothing'],
    ['PUT', '/api/v1/nothing'],
    ['POST', '/api/webhooks/'],
    ['GET', '/api/webhooks/wh_1/nothing'],
    ['GET', '/api/webhooks/wh_1/deliveries/whd_1/attempts/1'],
    ['GET', '/api/../api/nothing'],
  ] as const)('%s %s, with and without credentials, whatever its body', async (method, url) => {
    for (const sent of [{}, { cookie }, { key }]) {
      const answer = await detour.call(method, url, {
        ...sent,
        ...(method !== 'GET' && { body: [], headers: { 'content-type': 'text/plain' } }),
      });
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'NOT_FOUND']);
      expect(ErrorBody.safeParse(answer.json()).success).toBe(true);
      for (const header of LIMIT_HEADERS) expect(answer.headers).toHaveProperty(header);
    }
  });

  test.each([
    ['PATCH', '/api/webhooks', 'GET, HEAD, POST'],
    ['POST', '/api/account', 'DELETE, GET, HEAD'],
    ['GET', `/api/users/${'9'.repeat(300)}`, 'DELETE, PUT'],
    ['PUT', '/api/redirects/7/', undefined],
    ['DELETE', '/docs', 'GET, HEAD'],
    ['OPTIONS', '/health?x', 'GET, HEAD'],
  ] as const)('%s %s, a method that the path does not have, is 405 with Allow: %s', async (method, url, allow) => {
    for (const sent of [{}, { cookie }, { key }]) {
      const answer = await detour.call(method, url, sent);
      expect([answer.statusCode, answer.headers.allow]).toEqual([allow === undefined ? 404 : 405, allow]);
      if (allow !== undefined) expect(answer.json().code).toBe('METHOD_NOT_ALLOWED');
      expect(ErrorBody.safeParse(answer.json()).success).toBe(true);
    }
  });

  test.each(['/nothing', '/%zz', '/apiary', '/v2/x', '/assets/nothing.js', '/website'])(
    '%s outside the surfaces has the error body and no budget',
    async (url) => {
      const answer = await detour.call('GET', url);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'NOT_FOUND']);
      expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
      expect(answer.headers).toHaveProperty('x-request-id');
    },
  );
});

test('no response lets pages of other origins read it: no route, error or OPTIONS has Access-Control headers', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-detour-dashboard',
  };
  const strays: string[] = [];
  for (const [index, route] of detour.app.routeTable.entries()) {
    if (index % 30 === 29) detour.clock.advance(60_000);
    for (const sent of [{ cookie }, { key }, {}]) {
      for (const method of [route.method as Method, 'OPTIONS'] as const) {
        const answer = await send({ ...route, method }, { ...sent, headers });
        const found = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        if (found.length > 0) strays.push(`${method} ${route.url}: ${found.join()}`);
      }
    }
  }
  expect(strays).toEqual([]);
});

test('every answer has its own request id, the security headers and no server name', async () => {
  const [one, two] = [
    await detour.call('GET', '/health', { headers: { 'x-request-id': 'mine' } }),
    await detour.call('GET', '/api/x'),
  ];
  expect(one.headers['x-request-id']).not.toBe('mine');
  expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id']);
  expect(one.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy': "frame-ancestors 'none'",
  });
  expect(one.headers).not.toHaveProperty('server');
});

test('while the database is away an answer is a 503 that carries the headers all the same', async () => {
  const away = openDatabase('postgresql://unknown@127.0.0.1:1/none');
  const cut = await startTestApp({ database: detour.database, deps: { db: away } });
  for (const sent of [{ cookie }, { key }]) {
    const answer = await cut.call('GET', sent.key ? '/api/v1/websites' : '/api/account', sent);
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '100' });
  }
  await cut.close();
  await away.$client.end();
});

test('what goes wrong inside is logged whole and shown as nothing', async () => {
  const logged: unknown[] = [];
  const broken = await startTestApp({
    database: detour.database,
    deps: { readMetrics: () => Promise.reject(new Error('secret path /srv/x')) },
    onLog: (line) => logged.push(line),
  });
  const answer = await broken.call('GET', '/metrics');
  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toMatchObject({
    code: 'INTERNAL_ERROR',
    details: `Request ${String(answer.headers['x-request-id'])}`,
  });
  expect(answer.body).not.toContain('secret');
  expect(JSON.stringify(logged)).toContain('secret path /srv/x');
  await broken.close();
});
