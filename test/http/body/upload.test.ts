import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import multipart from '@fastify/multipart';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { decorateRequests } from '../../../src/http/request.ts';
import { withUpload } from '../../../src/http/body/upload.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';
import { testClock } from '../../support/clock.ts';

const OWNER: Actor = { accountId: 1, plan: 'free', type: 'user', id: '1', name: 'jo', role: 'owner', scope: null };
const app = fastify();
let port = 0;
beforeAll(async () => {
  setErrorHandlers(app, testClock());
  decorateRequests(app);
  await app.register(multipart);
  app.addHook('onRequest', async (request) => void (request.caller = { actor: OWNER, session: null }));
  app.post('/', (request) => withUpload(request, async ({ path }) => ({ hasFile: path !== undefined }), 100));
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n';

/** Sends a form that never ends. */
function startUpload(body: string): Socket {
  const socket = connect(port, '127.0.0.1');
  const head = [
    'POST / HTTP/1.1',
    'Host: x',
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 999999',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket.setEncoding('latin1');
}

test.each([
  ['before its file', '--b\r\n'],
  ['in the middle of its file', `${FILE}${'x'.repeat(50_000)}`],
])('a form that stops arriving %s gets 408, and the next upload of the account goes on', async (_where, body) => {
  const socket = startUpload(body);
  const [response] = await once(socket, 'data');
  expect(response).toMatch(/^HTTP\/1\.1 408 /);
  expect(response).toMatch('REQUEST_TIMEOUT');
  const form = new FormData();
  form.set('file', new Blob(['/a,/b']), 'f.csv');
  const next = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
  expect(await next.json()).toEqual({ hasFile: true });
  socket.destroy();
});
