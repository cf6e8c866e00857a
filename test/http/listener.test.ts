/** Invalid HTTP, and the client's address behind proxies. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

let detour: TestApp;
let port: number;
beforeAll(async () => {
  detour = await startTestApp();
  port = Number(new URL(await detour.app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => detour.close());

/** Everything that comes back until the connection ends. */
async function raw(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

describe('bytes that are no request', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'INVALID_PARAMETER'],
    [
      'two lengths',
      'POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'INVALID_PARAMETER',
    ],
    ['headers over 64 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ])('%s: our error body, then the end of the connection', async (_what, text, status, code) => {
    const answer = await raw(text);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.any(String),
      details: expect.any(String),
      code,
      timestamp: '2030-05-15T12:00:01Z',
    });
    expect(answer.head).toContain('Connection: close');
  });

  test('headers of 50 KiB are taken', async () => {
    const answer = await raw(
      `GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'a'.repeat(50_000)}\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});

describe("the client's address", () => {
  const budget = async (app: TestApp, forwardedFor: string, remoteAddress: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forwardedFor };
    return Number((await app.call('GET', '/api/x', { remoteAddress, headers })).headers['x-ratelimit-remaining']);
  };

  test('is the connection’s where no proxy is trusted, whatever a header says', async () => {
    detour.clock.advance(60_000);
    expect(await budget(detour, '198.51.100.1', '203.0.113.1')).toBe(99);
    expect(await budget(detour, '198.51.100.2', '203.0.113.1')).toBe(98);
  });

  test('is the last of X-Forwarded-For with TRUST_PROXY=1: what the client wrote before it counts nothing', async () => {
    const proxied = await startTestApp({ database: detour.database, env: { TRUST_PROXY: '1' } });
    expect(await budget(proxied, '198.51.100.1', '203.0.113.1')).toBe(99);
    expect(await budget(proxied, '198.51.100.2', '203.0.113.1')).toBe(99);
    expect(await budget(proxied, '10.9.8.7, 198.51.100.2', '203.0.113.1')).toBe(98);
    await proxied.close();
  });

  test('is read only from trusted networks, if they are configured', async () => {
    const proxied = await startTestApp({ database: detour.database, env: { TRUST_PROXY: '203.0.113.0/24' } });
    expect(await budget(proxied, '198.51.100.9', '203.0.113.77')).toBe(99);
    expect(await budget(proxied, '198.51.100.9', '192.0.2.1')).toBe(99);
    expect(await budget(proxied, '198.51.100.8', '192.0.2.1')).toBe(98);
    await proxied.close();
  });
});
