/** The stop of a port while the process is busy: no connection that the system has accepted is reset. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { closePort, createHttpServer, openPort } from '../../src/http/server/listener.ts';
import { testClock } from '../support/clock.ts';

const CONNECTIONS = 50;

/** The connection is made when this returns: the system needs no turn of the event loop for it. */
function request(port: number): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  socket.on('error', (error) => (text += error.message));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return { socket, answer: once(socket, 'close').then(() => text.split('\r\n', 1)[0] ?? '', String) };
}

const OPTIONS = { clock: testClock(), newRequestId: () => 'r', requestId: () => 'r' };

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test.each([0, 120, 400])('connections are answered if the process stalls for %i ms at the signal', async (stallMs) => {
  const server = createHttpServer((_request, response) => response.end('ok'), OPTIONS);
  const port = await freePort('127.0.0.1');
  await openPort(server, { host: '127.0.0.1', port });
  // The timers follow this phase of the event loop, before the connections are accepted.
  await new Promise((resolve) => setImmediate(resolve));
  const sent = Array.from({ length: CONNECTIONS }, () => request(port));
  const closed = closePort(server);
  block(stallMs);
  const answers = await Promise.all(sent.map(({ answer }) => answer));
  await closed;
  expect(answers.filter((answer) => answer !== 'HTTP/1.1 200 OK')).toEqual([]);
});

test.each([
  ['an answered request whose chunked body goes on', 'POST / HTTP/1.1'],
  ['HTTP/1.0 with Transfer-Encoding', 'POST / HTTP/1.0\r\nConnection: keep-alive'],
])('%s loses its connection after the answer', async (_what, line) => {
  const server = createHttpServer((_request, response) => response.end('ok'), { ...OPTIONS, lateBodyMs: 100 });
  const port = await freePort('127.0.0.1');
  await openPort(server, { host: '127.0.0.1', port });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => {});
  socket.write(`${line}\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`);
  const dripping = setInterval(() => socket.write('1\r\nx\r\n'), 20);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(dripping);
  expect(text).toContain(' 200 OK');
  if (line.includes('1.0')) expect(text).toContain('Connection: close');
  await closePort(server);
});
