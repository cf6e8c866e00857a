import fastify from 'fastify';
import { expect, test } from 'vitest';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { sendStream } from '../../src/http/stream.ts';

test('a client that leaves before the first piece is there has its source closed', async () => {
  const app = fastify();
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<string>();
  async function* pieces(): AsyncGenerator<string> {
    try {
      asked.resolve();
      await gone.promise;
      yield 'first';
      yield 'second';
    } finally {
      closed.resolve('closed');
    }
  }
  app.get('/', (request, reply) => {
    request.raw.socket.once('close', () => gone.resolve());
    return sendStream(reply, pieces());
  });
  await app.listen({ port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, 'localhost');
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked.promise;
  socket.destroy();
  expect(await closed.promise).toBe('closed');
  await app.close();
}, 5_000);

test('an error after the first chunk closes the connection and is logged', async () => {
  const lines: string[] = [];
  const app = fastify({
    logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } },
  });
  async function* pieces(): AsyncGenerator<string> {
    yield 'first';
    throw new Error('the disk is on fire');
  }
  app.get('/', (_request, reply) => sendStream(reply, pieces()));
  const address = await app.listen({ port: 0 });
  const response = await fetch(address);
  await expect(response.text()).rejects.toThrow();
  expect(lines.join('')).toContain('the disk is on fire');
  await app.close();
}, 5_000);
