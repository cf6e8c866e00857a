/** Compressed streams: which clients get one, and that backpressure, errors and departures pass through. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compressText, takesGzip } from '../../src/http/content-encoding.ts';
import type { StreamShare } from '../../src/http/shares/stream-shares.ts';
import { sendStream } from '../../src/http/stream.ts';
import { until } from '../support/wait.ts';

const atOnce: StreamShare = (work) => work(10_000);
const NOISE = randomBytes(256 * 1024);

describe('Accept-Encoding', () => {
  test.each(['gzip', 'GZIP', 'x-gzip', 'deflate, gzip', 'gzip;q=0.5', '*', 'br;q=1, *;q=0.1', 'identity;q=0, gzip'])(
    '%s takes gzip',
    (header) => expect(takesGzip({ headers: { 'accept-encoding': header } })).toBe(true),
  );
  test.each(['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'gzip;q=0, *', 'identity, gzip;q=0.5', 'gzipped', 'gzip;q=x'])(
    '%s does not',
    (header) => expect(takesGzip({ headers: { 'accept-encoding': header } })).toBe(false),
  );
  test('nothing does not', () => expect(takesGzip({ headers: {} })).toBe(false));
});

describe('a stream', () => {
  let app: FastifyInstance;
  let sent = 0;
  let ended: PromiseWithResolvers<void>;
  beforeEach(() => {
    app = fastify();
    ended = Promise.withResolvers<void>();
    sent = 0;
  });
  afterEach(() => app.close());

  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (; ; sent++) yield NOISE;
    } finally {
      ended.resolve();
    }
  }
  async function* lines(): AsyncGenerator<string> {
    for (let line = 0; line < 1_000; line++) yield `${line},/old-path,/new-path\n`;
  }

  /** Reads nothing of a compressed response. */
  async function openReader() {
    await app.listen({ port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, 'localhost').pause();
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n');
    return socket;
  }

  test('is compressed for a client that takes it, and every response varies', async () => {
    app.get('/', (_request, reply) => sendStream(reply, atOnce, lines));
    const plain = await app.inject({ url: '/' });
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const zipped = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-encoding': 'gzip' });
    expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
    const head = await app.inject({ method: 'HEAD', url: '/', headers: { 'accept-encoding': 'gzip' } });
    expect([head.headers['content-encoding'], head.headers.vary, head.body]).toEqual(['gzip', 'Accept-Encoding', '']);
  });

  test('waits for a client that does not read, and cuts it off', async () => {
    app.get('/', (_request, reply) => sendStream(reply, atOnce, endless, { maxStallMs: 300 }));
    const socket = await openReader();
    await ended.promise;
    // The buffers of both sockets, and no more.
    expect(sent * NOISE.length).toBeLessThan(32 * 1024 * 1024);
    socket.resume();
    await once(socket, 'close');
  }, 20_000);

  test('ends with its client', async () => {
    app.get('/', (_request, reply) => sendStream(reply, atOnce, endless));
    const socket = await openReader();
    await until(async () => sent > 2);
    socket.destroy();
    await ended.promise;
  }, 20_000);

  test('that fails closes the connection', async () => {
    app.get('/', (_request, reply) =>
      sendStream(reply, atOnce, async function* () {
        yield NOISE;
        await new Promise((resolve) => setTimeout(resolve, 100));
        throw new Error('the disk is on fire');
      }),
    );
    const response = await fetch(await app.listen({ port: 0 }), { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    await expect(response.text()).rejects.toThrow();
  }, 20_000);
});

describe('a text', () => {
  const long = { list: Array.from({ length: 1_000 }, (_, index) => `/old-path-${index}`) };
  const get = async (url: string, encoding: string) => {
    const app = fastify();
    compressText(app);
    app.get('/long', () => long);
    app.get('/short', () => ({ list: [] }));
    const response = await app.inject({ url, headers: { 'accept-encoding': encoding } });
    await app.close();
    return response;
  };

  test('is compressed for a client that takes it', async () => {
    const packed = await get('/long', 'gzip, br');
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length);
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(long);
  });
  test('is as it is for another client, and if it is short', async () => {
    const plain = await get('/long', 'identity');
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.json()).toEqual(long);
    expect((await get('/short', 'gzip')).json()).toEqual({ list: [] });
  });
});
