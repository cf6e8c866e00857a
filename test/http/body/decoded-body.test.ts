import { gzipSync } from 'node:zlib';
import fastify, { type LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDecodedBody } from '../../../src/http/body/decoded-body.ts';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { decorateRequests } from '../../../src/http/request.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';
import { testClock } from '../../support/clock.ts';

const OWNER: Actor = { accountId: 1, plan: 'free', type: 'user', id: '1', name: 'jo', role: 'owner', scope: null };
const MIB = 1024 ** 2;
const app = fastify();

beforeAll(() => {
  setErrorHandlers(app, testClock());
  decorateRequests(app);
  app.addHook('onRequest', async (request) => void (request.caller = { actor: OWNER, session: null }));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.post('/', (request) =>
    withDecodedBody(request, async (body) => {
      let bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      return { bytes };
    }),
  );
});
afterAll(() => app.close());

const post = (payload: Buffer, headers: Record<string, string>): Promise<LightMyRequestResponse> =>
  app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/x-ndjson', ...headers } });
const GZIP = { 'content-encoding': 'gzip' };

test('a body may have 64 KiB for each row of the plan, counted after decompression', async () => {
  const larger = await post(gzipSync(Buffer.alloc(62.5 * MIB + 1)), GZIP);
  expect([larger.statusCode, larger.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'PLAN_LIMIT_EXCEEDED', details: expect.stringContaining('62.5 MiB') }),
  ]);
});

test('a body whose Content-Length is too large is rejected before it is read', async () => {
  const { statusCode } = await post(Buffer.alloc(0), { 'content-length': String(63 * MIB) });
  expect(statusCode).toBe(403);
});

test.each([
  ['NDJSON', {}],
  ['CSV', { 'content-type': 'text/csv' }],
])('%s of zero bytes is 422 EMPTY_BODY, compressed or not', async (_name, headers) => {
  for (const [body, encoding] of [
    [Buffer.alloc(0), {}],
    [gzipSync(''), GZIP],
  ] as const) {
    const { statusCode, json } = await post(body, { ...headers, ...encoding });
    expect([statusCode, json()]).toEqual([422, expect.objectContaining({ code: 'EMPTY_BODY' })]);
  }
});

test('JSON of zero bytes is for its reader to reject', async () => {
  expect((await post(Buffer.alloc(0), { 'content-type': 'application/json' })).json()).toEqual({ bytes: 0 });
});
