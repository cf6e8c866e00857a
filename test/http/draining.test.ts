/** Requests on open connections when the process stops. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startTestDetour } from '../support/detour.ts';

const CONNECTIONS = 35;
const GET = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

interface Connection {
  socket: Socket;
  received: string;
  closed: Promise<unknown>;
}

async function open(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  const connection: Connection = {
    socket,
    received: '',
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
  socket.setEncoding('utf8').on('data', (text: string) => (connection.received += text));
  socket.on('error', () => {});
  await once(socket, 'connect');
  return connection;
}

test('a request that was sent before the stop and is not read yet gets its response, on used and new connections', async () => {
  const detour = await startTestDetour();
  const port = Number(new URL(detour.address).port);
  const used = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  for (const { socket } of used) socket.write(GET);
  await Promise.all(used.map(({ socket }) => once(socket, 'data')));
  for (const connection of used) connection.received = '';
  const fresh = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  // The bytes are in the buffers of the sockets; the service reads them in the next turn of the event loop.
  for (const { socket } of [...used, ...fresh]) socket.write(GET);
  const stopped = detour.stop();
  await Promise.all([...used, ...fresh].map(({ closed }) => closed));
  const answered = [...used, ...fresh].filter(({ received }) =>
    /^HTTP\/1\.1 200 [^]*Connection: close/i.test(received),
  );
  expect(answered).toHaveLength(2 * CONNECTIONS);
  await stopped;
});
