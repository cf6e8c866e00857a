import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { sendStream } from '../../src/http/stream.ts';
import { createStreamShares, type StreamShare } from '../../src/http/shares/stream-shares.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';

const atOnce: StreamShare = (work) => work(10_000);
const actor = { accountId: 1 } as Actor;

/** Sends a request and reads nothing of its response until `resume`. */
async function readerOf(port: number): Promise<Socket> {
  const socket = connect(port, 'localhost');
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

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
    return sendStream(reply, atOnce, pieces);
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
  app.get('/', (_request, reply) => sendStream(reply, atOnce, pieces));
  const address = await app.listen({ port: 0 });
  const response = await fetch(address);
  await expect(response.text()).rejects.toThrow();
  expect(lines.join('')).toContain('the disk is on fire');
  await app.close();
}, 5_000);

test('a client that leaves a compressed response closes its source, and no error is logged', async () => {
  const lines: string[] = [];
  const app = fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } });
  const closed = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield randomBytes(64 * 1024).toString('hex');
    } finally {
      closed.resolve();
    }
  }
  app.get('/', (_request, reply) => sendStream(reply, atOnce, endless));
  const address = await app.listen({ port: 0 });
  const leaving = new AbortController();
  const response = await fetch(address, { signal: leaving.signal });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  leaving.abort();
  await closed.promise;
  await app.close();
  expect(lines).toEqual([]);
}, 5_000);

test('a client that reads below the minimum rate is cut, although it reads', async () => {
  const app = fastify();
  const closed = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'x'.repeat(1024 * 1024);
    } finally {
      closed.resolve();
    }
  }
  const limits = { rateAfterMs: 100, minBytesPerSecond: 1e9, maxStallMs: 60_000 };
  app.get('/', (_request, reply) => sendStream(reply, atOnce, endless, limits));
  await app.listen({ port: 0 });
  const socket = await readerOf((app.server.address() as AddressInfo).port);
  socket.on('error', () => {});
  const reading = setInterval(() => socket.read(1_024), 10);
  await closed.promise;
  clearInterval(reading);
  socket.destroy();
  await app.close();
}, 20_000);

test('the share of a response is free again when its client has left', async () => {
  const app = fastify();
  const shares = createStreamShares({ lists: 10, jobs: 2 }, 20_000);
  const opened: number[] = [];
  const waiting = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<string> {
    opened.push(opened.length);
    for (;;) yield 'x'.repeat(1024 * 1024);
  }
  app.get('/', (_request, reply) => sendStream(reply, shares.jobs(actor), endless));
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const first = await readerOf(port);
  await once(first, 'readable');
  const second = await readerOf(port);
  void once(second, 'readable').then(() => waiting.resolve());
  first.destroy();
  await waiting.promise;
  expect(opened).toHaveLength(2);
  second.destroy();
  await app.close();
}, 20_000);
