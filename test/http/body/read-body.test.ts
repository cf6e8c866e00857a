import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { rejectMalformed } from '../../../src/http/server/malformed.ts';
import { readAtMinRate } from '../../../src/http/body/read-body.ts';
import { acceptJsonOnly, limitAuthBodies } from '../../../src/http/server/server-options.ts';
import { DomainError } from '../../../src/vocabulary/error.ts';
import { testClock } from '../../support/clock.ts';
import { until } from '../../support/wait.ts';

const WINDOW_MS = 100;
const outcomes: string[] = [];
const server = createServer((request, response) => {
  void (async () => {
    let bytes = 0;
    try {
      for await (const piece of readAtMinRate(request, WINDOW_MS)) bytes += piece.length;
      outcomes.push(`${bytes} bytes`);
    } catch (error) {
      outcomes.push(error instanceof DomainError ? error.code : String(error));
    }
    response.end();
  })();
});
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

test('a body that keeps coming is read to its end', async () => {
  const whole = httpRequest({ port, method: 'POST' });
  whole.end('x'.repeat(100_000));
  await once(whole, 'response');
  expect(outcomes.at(-1)).toBe('100000 bytes');
});

test('a body that only drips is ended with an error, and the client can read a response', async () => {
  const dripping = httpRequest({ port, method: 'POST' });
  const responded = once(dripping, 'response');
  dripping.on('error', () => {});
  const drip = setInterval(() => dripping.write('x'), WINDOW_MS / 10);
  await responded;
  clearInterval(drip);
  dripping.destroy();
  expect(outcomes.at(-1)).toBe('REQUEST_TIMEOUT');
});

test('a body whose connection closes is an error that says so', async () => {
  const count = outcomes.length;
  const broken = httpRequest({ port, method: 'POST', headers: { 'content-length': '100' } });
  broken.on('error', () => {});
  const arrived = once(server, 'request');
  broken.write('half');
  await arrived;
  broken.destroy();
  await until(async () => outcomes.length > count);
  expect(outcomes.at(-1)).toBe('INVALID_PARAMETER');
});

test('a JSON body that does not arrive in time gets 408, and its connection is closed', async () => {
  const app = fastify();
  setErrorHandlers(app, testClock());
  acceptJsonOnly(app, WINDOW_MS);
  app.post('/', { schema: { body: {} } }, async () => 'done');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
  let response = '';
  socket.on('data', (bytes) => (response += String(bytes)));
  await once(socket, 'close');
  expect(response).toMatch(/^HTTP\/1.1 408 /);
  expect(response.toLowerCase()).toContain('connection: close');
  expect(response).toContain('"code":"REQUEST_TIMEOUT"');
  await app.close();
});

test('a body below /api/auth has at most 8 KiB', async () => {
  const app = fastify();
  setErrorHandlers(app, testClock());
  limitAuthBodies(app);
  acceptJsonOnly(app);
  app.post('/api/auth/sign-in', { schema: { body: {} } }, async () => 'done');
  app.post('/api/other', { schema: { body: {} } }, async () => 'done');
  const payload = { text: 'x'.repeat(8 * 1024) };
  const [auth, other] = await Promise.all(
    ['/api/auth/sign-in', '/api/other'].map((url) => app.inject({ method: 'POST', url, payload })),
  );
  expect([auth?.statusCode, other?.statusCode]).toEqual([413, 200]);
  expect(auth?.json()).toMatchObject({ code: 'BODY_TOO_LARGE', details: expect.stringContaining('8 KiB') });
});

test('a request that has its response gets no second one when its body is invalid', async () => {
  const answering = createServer();
  const options = { clock: testClock(), newRequestId: () => 'r', requestId: () => 'r' };
  rejectMalformed(answering, options, (_request, response) => response.end('first'));
  answering.listen(0, '127.0.0.1');
  await once(answering, 'listening');
  const socket = connect((answering.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => (received += String(bytes)));
  socket.on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
  await until(async () => received.includes('first'));
  socket.write('no chunk\r\n');
  await once(socket, 'close');
  expect(received.split('HTTP/1.1')).toHaveLength(2);
  answering.close();
});
